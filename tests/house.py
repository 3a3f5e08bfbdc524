# Counts the code lines of the crate: without tests, comments and blank lines. Run it in the root
# of the repository: python3 tests/house.py
import os,re,sys,collections
def code(path):
    n=0; u=0; depth=0; intest=False; td=0
    lines=open(path).read().split('\n')
    # drop #[cfg(test)] mod tests { ... } at end
    out=[];i=0
    while i<len(lines):
        l=lines[i].strip()
        if l=='#[cfg(test)]' and i+1<len(lines) and re.match(r'(pub(\(.*\))? )?mod \w+ \{',lines[i+1].strip()):
            # skip block by indentation
            ind=len(lines[i+1])-len(lines[i+1].lstrip()); i+=2
            while i<len(lines) and not (lines[i].startswith(' '*ind+'}') and len(lines[i])-len(lines[i].lstrip())==ind): i+=1
            i+=1; continue
        out.append(lines[i]); i+=1
    inuse=False
    for l in out:
        s=l.strip()
        if not s or s.startswith('//'): continue
        n+=1
        if inuse or re.match(r'(pub(\([^)]*\))? )?(use|mod) ',s):
            u+=1; inuse=not s.endswith(';') and not s.endswith('{') if not inuse else not s.endswith(';')
            if s.startswith('mod') or re.match(r'(pub(\([^)]*\))? )?mod ',s): inuse=False
            elif not s.endswith(';'): inuse=True
            else: inuse=False
    return n,u
rooms=collections.defaultdict(lambda:[0,0,0,0])
for d,_,fs in os.walk('src'):
    for f in fs:
        if not f.endswith('.rs'): continue
        p=os.path.join(d,f)
        if '/tests/' in p or f=='tests.rs': continue
        n,u=code(p)
        r=p.split('/')[1].replace('.rs','')
        x=rooms[r]; x[0]+=n; x[1]+=1 if n else 0; x[2]+=u; x[3]+= n<40
for r,x in sorted(rooms.items(), key=lambda t:-t[1][0]): print(f'{r:15} {x[0]:6} {x[1]:4} files  use {x[2]:5}  <40: {x[3]}')
t=[sum(x[i] for x in rooms.values()) for i in range(4)]
print(t, t[2]/t[0])
