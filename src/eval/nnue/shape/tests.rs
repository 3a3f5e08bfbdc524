//! Sizes and hashes of known files; names and texts round trip.

use super::*;
use crate::eval::nnue::features::FeatureSet;

fn shape(name: &str) -> Shape {
    name.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Name, hash of the transformer, of the layers, of the file; bytes of the file as older programs
/// write it.
#[rustfmt::skip]
const KNOWN: [(&str, [u32; 3], usize); 12] = [
    ("halfkp_256x2-32-32", [0x5d69_d7b8, 0x6333_7156, 0x3e5a_a6ee], 64_217_066),
    ("halfkp_512x2-16-32", [0x5d69_d1b8, 0x6333_76ca, 0x3e5a_a772], 128_416_173),
    ("halfkp_768x2-16-64", [0x5d69_d3b8, 0x6333_719a, 0x3e5a_a222], 192_624_717),
    ("halfkp_1024x2-8-32", [0x5d69_ddb8, 0x6333_6a54, 0x3e5a_b7ec], 256_814_475),
    ("halfkp_1024x2-8-64", [0x5d69_ddb8, 0x6333_6a24, 0x3e5a_b79c], 256_815_659),
    ("kp_256x2-32-32", [0x3f57_15ff, 0x6333_7156, 0x5c64_64a9], 893_917),
    ("halfkpe9_256x2-32-32", [0x5d69_d7b8, 0x6333_7156, 0x3e5a_a6ee], 577_806_317),
    ("halfkpvm_256x2-32-32", [0x0b6b_1f9a, 0x6333_7156, 0x6858_6ecc], 35_684_332),
    ("halfka1_256x2-32-32", [0x5f13_4eb8, 0x6333_7156, 0x3c20_3fee], 70_935_531),
    ("halfka2_256x2-32-32", [0x5f23_4eb8, 0x6333_7156, 0x3c10_3fee], 67_576_299),
    ("halfkahm1_256x2-32-32", [0x7f13_4eb8, 0x6333_7156, 0x1c20_3fee], 39_416_813),
    ("halfkahm2_256x2-32-32", [0x7f23_4eb8, 0x6333_7156, 0x1c10_3fee], 37_550_573),
];

#[test]
fn sizes_and_hashes_are_those_of_known_files() {
    for (name, hashes, size) in KNOWN {
        let shape = shape(name);
        let found = [shape.transformer_hash(), shape.network_hash(), shape.file_hash()];
        assert_eq!(found, hashes, "{name}");
        let text = shape.text().replace("SparseInput", "");
        // Three numbers of the header and two hashes.
        let bytes = shape.plain_bytes() + 5 * size_of::<u32>() + text.len();
        assert_eq!(bytes, size, "{name}");
        assert_eq!(Shape::from_plain_text(&text), Some(shape));
    }
}

#[test]
fn names_and_texts_round_trip() {
    let stacks = [
        "SFNN-1536",
        "SFNN_halfka2_1024_7_64",
        "SFNN_ka2_8192_7_64_c0_s1024x8_k3k3",
        "SFNN_halfka2_3072_7_64_c1024_s256x8_hand4_k13k13z_progress32",
        "SFNN_halfkahm1_64_16_32_hand1024_k29k29",
        "SFNN_halfka2_32_7_32_hand256_progress16",
    ];
    for name in stacks {
        let shape = shape(name);
        assert_eq!(shape.to_string(), name);
        assert_eq!(Shape::from_stacks_text(&shape.text()), Ok(shape), "{name}");
        assert!(text::describes_stacks(&shape.text()));
        assert_eq!(text::unsupported_activation(&shape.text()), None);
    }
    let found = shape("sfnn_halfkahm2_1536-15-32-k3k3").to_string();
    assert_eq!(found, "SFNN-1536");
    for set in FeatureSet::ALL {
        let shape = Shape::plain(set, if set.is_own() { 768 } else { 96 }, [16, 64]);
        assert_eq!(shape.to_string().parse(), Ok(shape));
        assert_eq!(shape.to_string().to_uppercase().parse(), Ok(shape));
        assert_eq!(Shape::from_plain_text(&shape.text()), Some(shape));
        assert!(!text::describes_stacks(&shape.text()));
        let shape = Shape::direct(set, 512);
        assert_eq!(shape.to_string().parse(), Ok(shape));
        assert_eq!(Shape::from_plain_text(&shape.text()), None);
    }
    let own = Shape::direct(FeatureSet::Raicho, 512);
    assert_eq!(own.to_string(), "raicho_512x2-8");
}

#[test]
fn impossible_names_are_refused() {
    for name in "halfkp halfkp_256_32_32 halfkp_100x2-32-32 halfkp_16x2-32-32 \
        halfkp_16384x2-32-32 halfkp_256x2-0-32 halfkp_256x2-32 raicho_256x2-7 raicho_96x2-8 \
        halfkp_32x2-8 raicho_256-8 halfkp_256x2-32-32-k3k3 \
        relative_256x2-32-32 SFNN_halfka2_256_12_32 SFNN_halfka2_256x2_8_32 \
        SFNN_halfka2_256_8_32_k4k4 SFNN_halfka2_256_7_32_c64_s64x2 \
        SFNN_halfka2_256_7_32_c64_s64x3 SFNN_halfka2_256_7_32_c128_s128x1 \
        SFNN_halfka2_256_7_32_c0_s18446744073709551615x18446744073709551615"
        .split(' ')
        .chain([""])
    {
        assert!(name.parse::<Shape>().is_err(), "{name}");
    }
    assert!("SFNN_halfka2_256_7_32_c128_s64x2".parse::<Shape>().is_ok());
}

#[test]
fn inconsistent_texts_describe_no_shape() {
    let text = shape("halfkp_256x2-32-32").text();
    for (from, to) in [
        ("125388", "125389"),
        ("->256x2", "->512x2"),
        ("[1<-32]", "[1<-64]"),
        ("[32<-512]", "[16<-512]"),
        ("Network=", "Net="),
        ("->256x2", "->18446744073709551615x2"),
    ] {
        let text = text.replace(from, to);
        assert_eq!(Shape::from_plain_text(&text), None, "{to}");
    }
    // Other programs use other names for the same feature set.
    let other = text.replace("HalfKP(Friend)", "HalfKP^");
    let expected = shape("halfkp_256x2-32-32");
    assert_eq!(Shape::from_plain_text(&other), Some(expected));
    let stacks = shape("SFNN_halfka2_256_7_32_k3k3").text();
    for (from, to) in cases! {
        "LayerStack=9" => "LayerStack=8";
        "{LayerStack=9}" => "";
        "->256x2" => "->512x2";
        "HalfKA2(Friend)[131949" => "HalfKP(Friend)[125388";
        "K3K3" => "K4K4";
        "Network=SFNN_HALFKA2_256_7_32" => "Network=HALFKA2_256X2_7_32";
    } {
        let text = stacks.replace(from, to);
        assert!(Shape::from_stacks_text(&text).is_err(), "{to}");
    }
}

#[test]
fn scales_and_activations_are_found_in_texts() {
    assert_eq!(text::fv_scale("Features=…,fv_scale=24,more"), Some(24));
    assert_eq!(text::fv_scale("fv_scale=x"), None);
    assert_eq!(text::fv_scale("Features"), None);
    let other = "HalfKA_hm[73305->512x2]-SCReLU";
    assert_eq!(text::unsupported_activation(other), Some("SCReLU"));
}

#[test]
fn shards_connect_their_own_part() {
    let shards = Shards { common: 64, size: 64, groups: 2 };
    let connected =
        |output| (0..192).filter(|&input| shards.connects(8, output, input)).collect::<Vec<_>>();
    assert_eq!(connected(0), (0..128).collect::<Vec<_>>());
    assert_eq!(connected(3), connected(0));
    assert_eq!(connected(4), (0..64).chain(128..192).collect::<Vec<_>>());
}
