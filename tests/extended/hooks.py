#!/usr/bin/env python3
"""Checks the hooks of .pre-commit-hooks.yaml under a real pre-commit, in a repository that uses them from another one:

 - good rules and baselines pass; a bad file among several fails and is named, also when it is in a subfolder
 - other YAML and JSON files are left alone

$GPUGATE is the program; exit 77 skips.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GPUGATE")
# The configuration from the page on installing, with its address and version replaced.
CONFIG = re.search(r"^```\n(repos:\n.*?)^```$", (ROOT / "docs/install.md").read_text(encoding="utf-8"), re.M | re.S)[1]


def main():
    if not PROGRAM:
        sys.exit(77)
    if not shutil.which("pre-commit"):
        sys.exit("hooks.py: pre-commit is missing: ci/install-deps extended")
    with tempfile.TemporaryDirectory(prefix="gpugate-hooks") as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/gpugate").symlink_to(pathlib.Path(PROGRAM).resolve())
        env = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": name, "GIT_CONFIG_GLOBAL": f"{name}/gitconfig", "LC_ALL": "C.UTF-8"}

        def run(*words, cwd, code=0):
            p = subprocess.run([str(w) for w in words], cwd=cwd, env=env, capture_output=True, text=True, check=False)
            assert p.returncode == code, f"{words}: exit {p.returncode}, not {code}: {p.stdout}{p.stderr}"
            return p.stdout

        for key, value in (("user.name", "a"), ("user.email", "a@example.com"), ("init.defaultBranch", "main")):
            run("git", "config", "--global", key, value, cwd=folder)

        def repository(path):
            path.mkdir()
            run("git", "init", "-q", cwd=path)

            def commit():
                run("git", "add", "-A", cwd=path)
                run("git", "commit", "-q", "-m", "x", cwd=path)
                return run("git", "rev-parse", "HEAD", cwd=path).strip()
            return commit

        hooks, user = folder / "hooks", folder / "user"
        commit_hooks, commit = repository(hooks), repository(user)
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
        (user / ".pre-commit-config.yaml").write_text(re.sub("rev: .*", f"rev: {commit_hooks()}",
                                                         re.sub(r"https://git\.example\.com/\S+", str(hooks), CONFIG)))
        files = {"rules/gpugate.yaml": ROOT / "rules/default.yaml", "train/rules/gpugate-nightly.yml": ROOT / "rules/default.yaml",
                 "baselines/a.json": ROOT / "baselines/example.json", "train/baselines/b.json": ROOT / "baselines/example.json"}
        for path, source in files.items():
            (user / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, user / path)
        (user / "other.yaml").write_text("a: 1\n")
        (user / "other.json").write_text("{}\n")
        commit()
        text = run("pre-commit", "run", "--all-files", cwd=user)
        assert text.count("Passed") == 2, text
        rules = user / "train/rules/gpugate-nightly.yml"
        rules.write_text(rules.read_text().replace("version: 1", "version: 1\nrulez: []"))
        (user / "baselines/a.json").write_text("{}\n")
        run("git", "add", "-A", cwd=user)
        text = run("pre-commit", "run", cwd=user, code=1)
        assert "train/rules/gpugate-nightly.yml:" in text and "unknown key 'rulez'" in text, text
        assert "baselines/a.json" in text and "exit code: 4" in text, text
        text = run("pre-commit", "run", "--all-files", cwd=user, code=1)
        assert "'rules/gpugate.yaml': " in text and "'train/baselines/b.json': sound" in text, text
        run("git", "checkout", "-q", "HEAD", "--", ".", cwd=user)
        (user / "other.json").write_text("{} \n")
        run("git", "add", "-A", cwd=user)
        assert run("pre-commit", "run", cwd=user).count("Skipped") == 2
    print("ok hooks")


if __name__ == "__main__":
    main()
