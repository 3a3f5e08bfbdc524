//! Declaration wins of the engine with the embedded network.

use super::driver::Driver;
use crate::runner::Text;

/// The side to move has its king and ten pieces in the promotion zone, and just enough points.
const DECLARABLE: [&str; 3] = [
    "K+N5+L1/G+L+P+B1+R+P2/3+P2G2/9/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b 2L8Pb4p 1",
    "K+N5+L1/G+P+P+B1+R+P2/+P+L1+P2G2/9/9/9/6b1+r/4+ss+sg+n/5+pg+nk w 2L5Psn7p 1",
    "4K4/9/9/9/9/9/+r+bgggg+b+r1/ssssk4/9 w - 1",
];

/// Positions twelve plies before the side to move declared its win in self-play games. In the last
/// one, which is composed, only the king is one rank short.
const BEFORE_DECLARATIONS: [&str; 17] = [
    "+R2+L1+S3/2K2LBG1/p1GGG4/5pS2/1P5p1/Pp7/6+bsn/1S2+r3+l/2N1+l1+p1k b N11Pn 287",
    "+PK7/1+LP+b+N+N1B1/N+R1G4p/9/1p2g2l1/P2pg1+p2/1P2P4/G6k+n/L2S1+r3 b L9P3s 285",
    "4K4/9/1p4SP+L/2l3Np1/1P2Ps3/2N6/2P1g+rS1+B/1+prpk1P2/+l2+b+p+s3 w GN6P2gnl2p 236",
    "S+R3G3/K3P1P2/S1P1+P2pL/2pS5/N2+B1+B3/3G1pg2/P1N1g2+r+p/2+nP+n1p+l1/L4+p1k1 b SL6P 265",
    "+S3+N+S3/4K+S+R2/+Lp+NGB3L/3P+B1+R2/5n3/1n1p4l/2+p1G1p1p/4P2+p+p/1LPG1+p1+sk b 7Pg 267",
    "1+RB3+S1K/4S1+N1l/1g4+P2/2p2l3/1pl1s4/6S2/P3p4/g3kb2r/4g1g+n1 w L5P2n8p 224",
    "KG1+S2+P2/+L+R1+B1+R1Gl/8n/+B1p4P1/3P2P2/1S6p/n2G+p4/2l1+p2+s1/7gk b SNL10Pn 319",
    "8+R/1pKLB+S2p/+N1+L+P2+P1G/9/2gp1p3/S3p4/1P3+n+l1+R/2p+ps1g2/3g3k1 b BS2NL6P2p 233",
    "+NpGG+P1+SK1/l1L3+P2/p2+R+L1P+RP/4G4/3p1+B1S1/+p2n5/3+n1+bp1p/+n1p1k+s1+p+p/1s+p1+l2+p1 \
     b GP2p 305",
    "l6nl/1+P+P1+P4/n2n1p2p/G1KG3p1/3Gpls2/4P4/Ps1+r3PP/3+b+nb2+r/1g2k1P2 w L2s6p 162",
    "l4K3/g1+N2+S+PPP/p2s1+Pp1+L/9/2b1+b4/PP2s4/2N3+n2/G2+r3k+p/L1+ps+p3+r w 2GN4Pl3p 262",
    "+P3S+N3/1L+N+B4P/NK2+P2pG/3S3+r1/2SG2p2/9/1+Rp1P+p+b2/4pp2g/+p2+p1k3 b GSN3L5Pp 289",
    "l3+P+R1S+R/8+L/2K+B+N2B1/1n4N2/1Pl1S1pp1/p+p3Ps2/1g5gp/P3p1g2/6k2 b GSNl8p 225",
    "KSG1+P2+S1/2PP+P4/+NS4P1+S/P1+L+N5/4+bg1p1/+r1g6/2+n1n1+p2/3l+bl1+r1/g4k3 w L10p 340",
    "1K1p4l/l3+B4/2P1+Rn3/8p/p2S4g/6P1l/1P2g2g+n/1s2+b4/1+p+l+sk1+r2 w GS2NP10p 280",
    "2K4nl/3+S5/1+PP4p1/2+N+S4p/1SGG3P1/lgN3p2/pp+b1Pp2P/1kr+b5/3+r3+lL w gsn7p 224",
    "1+N2+P2+L1/G1+P+B1+R+P2/1+L1+P5/K8/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b G2L7Pb4p 1",
];

/// Least number of them that must be won again, by declaration or resignation. Of 200 such
/// positions the networks of generations 9 and 10 won 194 and 195 with this number of nodes; the
/// other games were longer than the limit. Of these 17, versions of the search that are equally
/// strong from such positions won 15 and 14.
const WON_AGAIN: usize = 13;

/// Nodes of each search.
const NODES: u32 = 6000;

/// Longest game in plies from the position.
const MOST_PLIES: usize = 60;

#[test]
fn wins_are_declared_at_once() {
    let mut driver = Driver::ready();
    for sfen in DECLARABLE {
        for go in [
            "go byoyomi 1000",
            "go depth 3",
            "go nodes 10",
            "go infinite\nstop",
            "go\nstop",
            "go ponder\nstop",
            "go ponder\nponderhit",
        ] {
            let lines = driver.go(&format!("position sfen {sfen}\n{go}"));
            assert_eq!(lines.len(), 3, "{go}: {lines:?}");
            let [info, note, best] = [0, 1, 2].map(|index| lines[index].clone());
            info.must_begin("info depth 0 ").must_have(" score mate 1 ").must_lack(" pv ");
            assert_eq!(note, "info string win by declaration (CSARule27)");
            assert_eq!(best, "bestmove win", "{go}");
        }
    }
}

/// A single game depends on small changes of the search, so several are played.
#[test]
fn a_win_by_declaration_is_walked_into() {
    let mut driver = Driver::ready();
    let winners = BEFORE_DECLARATIONS.map(|sfen| play_out(&mut driver, sfen));
    let won = winners.iter().filter(|&&won| won == Some(true)).count();
    assert!(won >= WON_AGAIN, "{won}: {winners:?}");
    assert!(!winners.contains(&Some(false)), "lost: {winners:?}");
}

/// Whether the side to move in the position wins, by declaration or resignation.
fn play_out(driver: &mut Driver, sfen: &str) -> Option<bool> {
    driver.send("usinewgame");
    let mut line = format!("position sfen {sfen} moves");
    for ply in 0..MOST_PLIES {
        let answer = driver.best(&format!("{line}\ngo nodes {NODES}"));
        let is_its_turn = ply % 2 == 0;
        match answer.split(' ').next().expect("a move") {
            "win" => return Some(is_its_turn),
            "resign" => return Some(!is_its_turn),
            mv => line = format!("{line} {mv}"),
        }
    }
    None
}

#[test]
fn the_winning_step_of_the_try_rule_is_played_unless_the_user_excludes_it() {
    let mut driver = Driver::ready();
    driver.set("EnteringKingRule", "TryRule");
    let position = "position sfen 9/4K4/9/9/9/9/9/9/4k4 b G2r2b3g4s4n4l18p 1";
    assert_eq!(driver.best(&format!("{position}\ngo depth 2")), "5b5a");
    driver.best("go depth 2 searchmoves 5b6b").must_begin("5b6b");
    assert_eq!(driver.best("go ponder\nstop"), "5b5a");
}
