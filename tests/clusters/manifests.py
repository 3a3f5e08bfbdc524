#!/usr/bin/env python3
"""Checks the manifests of the guide against the schemas of Kubernetes, and its shell scripts for their syntax.

Needs `pip install kubernetes-validate`; without it prints `skipped: …` and ends with 0.
"""

import re
import subprocess
import sys
from pathlib import Path

try:
    import kubernetes_validate
    import yaml
except ImportError:
    print("skipped: kubernetes-validate is not installed (pip install kubernetes-validate)")
    sys.exit(0)

PAGE = Path(__file__).parents[2] / "book" / "src" / "many-machines.md"


def main():
    text = PAGE.read_text()
    manifests = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    version = kubernetes_validate.latest_version()
    for manifest in manifests:
        kubernetes_validate.validate(manifest, version, strict=True)
        container = manifest["spec"]["template"]["spec"]["containers"][0]
        variables = {variable["name"]: variable["value"] for variable in container.get("env", [])}
        assert variables.get("PARTS", "") == str(manifest["spec"].get("completions", "")), "PARTS is not completions"
        for script in container["args"]:
            subprocess.run(["sh", "-n", "-c", script], check=True)
        print(f"ok: {manifest['kind']} {manifest['metadata']['name']}, schema of Kubernetes {version}, strict")
    scripts = re.findall(r"```bash\n(.*?)```", text, re.DOTALL)
    for script in scripts:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    print(f"OK: {len(manifests)} manifests, {len(scripts)} scripts")


if __name__ == "__main__":
    main()
