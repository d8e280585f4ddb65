#!/usr/bin/env python3
"""The recipes of examples/ci, run step by step as their services would.

    check.py ROOFLINE SOURCE_DIR

Each recipe is parsed, and every step that calls roofline runs in a repository of its own, with a stand-in for the
program that it measures (tests/cli/made_run.py: captures without a GPU). A step must end as it should, and every report
that it names must be there. Exit 0: all hold; 1: something does not; 77: python3-yaml or git is missing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("SKIPPED: install python3-yaml: no recipe was run")
    sys.exit(77)
if not shutil.which("git"):
    print("SKIPPED: install git: no recipe was run")
    sys.exit(77)

GATE = """schema: roofline.gate/1
gpu: h100-sxm5-80gb
kernels:
  - id: chain
    match: {name: rms_silu_gate_add}
    assert: {max_time: %s us, max_regression_pct: 5}
"""
PROGRAM = '#!/bin/sh\nexec python3 "$MADE_RUN" chain\n'
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]


class Repository:
    """A checkout with the examples, two programs and a gate whose limit is `limit` microseconds."""

    def __init__(self, program, source, limit=500):
        self.folder = tempfile.TemporaryDirectory()
        self.root = os.path.join(self.folder.name, "examples", "ci")
        shutil.copytree(os.path.join(source, "examples"), os.path.join(self.folder.name, "examples"))
        os.remove(os.path.join(self.root, "run.json"))  # the recipes measure their own
        self.write("roofline.gate.yml", GATE % limit)
        self.write(".gitignore", "build\nbase\n")
        for name in ("build/bench", "base/build/bench"):
            self.write(name, PROGRAM)
            os.chmod(os.path.join(self.root, name), 0o755)
        self.write("base/roofline.gate.yml", GATE % limit)
        tools = os.path.join(self.folder.name, "tools")
        self.write(os.path.join(tools, "plugin.so"), "")
        os.symlink(program, os.path.join(tools, "roofline"))
        self.environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": tools, "XDG_CONFIG_HOME": tools, "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                            "ROOFLINE_PLUGIN": os.path.join(tools, "plugin.so"), "MADE_RUN": os.path.join(source, "tests", "cli", "made_run.py"),
                            "GITHUB_STEP_SUMMARY": os.path.join(tools, "summary.md"), "GITHUB_ACTIONS": "true",
                            **{k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_"))}}
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
            subprocess.run([*GIT, *words], cwd=self.root, env=self.environment, check=True)
        self.environment["BASE"] = "HEAD"

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, script):
        return subprocess.run(["bash", "-e", "-c", script], cwd=self.root, env=self.environment, capture_output=True, text=True, timeout=120, check=False)

    def has(self, name):
        path = os.path.join(self.root, name)
        return os.path.isfile(path) and os.path.getsize(path) > 0


def read(source, name):
    with open(os.path.join(source, "examples", "ci", name), encoding="utf-8") as file:
        return yaml.safe_load(file)


def github_steps(source):
    for name, job in read(source, "github-actions.yml")["jobs"].items():
        yield name, [step["run"] for step in job["steps"] if "roofline " in step.get("run", "")]


def gitlab_steps(source):
    for name, job in read(source, "gitlab-ci.yml").items():
        if isinstance(job, dict) and "script" in job:
            yield name, [line for line in job["script"] if "roofline " in line]


def pre_commit_steps(source):
    for repository in read(source, "pre-commit-config.yaml")["repos"]:
        for hook in repository["hooks"]:
            yield hook["id"], [hook["entry"]]


def shell_steps(_source):
    yield "gate.sh", ["sh gate.sh roofline.gate.yml --report junit=gate.xml -- build/bench"]


RECIPES = {"github-actions.yml": (github_steps, 6), "gitlab-ci.yml": (gitlab_steps, 2), "pre-commit-config.yaml": (pre_commit_steps, 1), "gate.sh": (shell_steps, 1)}
# limit of the gate in microseconds (the program takes 400) -> how a step that holds its results ends
LIMITS = {500: 0, 300: 1}


def check_recipe(program, source, name, limit):
    problems, seen = [], 0
    steps_of, wanted = RECIPES[name]
    for job, steps in steps_of(source):
        repository = Repository(program, source, limit)
        for script in steps:
            seen += 1
            done = repository.run(script)
            holds = re.search(r"roofline gate roofline\.gate\.yml|sh gate\.sh", script)
            code = LIMITS[limit] if holds else 0
            if done.returncode != code:
                problems.append(f"{name}, {job}, limit {limit}: exit {done.returncode} instead of {code}: {script}\n{done.stdout}{done.stderr}")
            for report in re.findall(r"(?:--report \S+=|-o )([^\s-]\S*)", script):
                if not repository.has(report):
                    problems.append(f"{name}, {job}: no {report}")
            if "github=-" in script and code == 1 and not re.search(r"^::error file=roofline\.gate\.yml,line=\d+,", done.stdout, re.MULTILINE):
                problems.append(f"{name}, {job}: no annotation in {done.stdout}")
            if done.returncode != 0:
                break
        if limit == 500 and job == "record" and not (repository.has("roofline.baseline.json") and os.path.isdir(os.path.join(repository.root, ".roofline", "history"))):
            problems.append(f"{name}, {job}: nothing was recorded")
    if limit == 500 and seen != wanted:
        problems.append(f"{name}: {seen} steps with roofline, {wanted} expected")
    return problems


def check_safety(source):
    """What docs/ci.md promises of the workflow: it may read, and forks change nothing."""
    workflow = read(source, "github-actions.yml")
    problems = []
    if workflow["permissions"] != {"contents": "read"} or any("permissions" in job for job in workflow["jobs"].values()):
        problems.append("the workflow may do more than read")
    triggers = workflow.get("on", workflow.get(True))  # YAML 1.1 reads `on` as true
    if "pull_request_target" in triggers:
        problems.append("pull_request_target: a fork's code would run with the base's rights")
    for name, job in workflow["jobs"].items():
        for step in job["steps"]:
            if "checkout@" in step.get("uses", "") and step["with"]["persist-credentials"] is not False:
                problems.append(f"{name}: the checkout keeps credentials")
            if "${{" in step.get("run", ""):
                problems.append(f"{name}: an expression inside of a script")
    if "environment" not in workflow["jobs"]["pull_request"]:
        problems.append("no approval before a fork's code runs on the GPU")
    return problems


def main():
    program, source = (os.path.abspath(path) for path in sys.argv[1:3])
    shipped = {name for name in os.listdir(os.path.join(source, "examples", "ci")) if name.endswith((".sh", ".yaml", ".yml")) and not name.endswith(".gate.yml")}
    problems = check_safety(source) + [f"{name} is not tested" for name in sorted(shipped - set(RECIPES))]
    for name in RECIPES:
        for limit in LIMITS:
            problems += check_recipe(program, source, name, limit)
    for problem in problems:
        print(f"FAILED {problem}"[:3000])
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
