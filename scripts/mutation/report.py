"""Keeps what became of each mutant, and says it: the journal, the table and the JSON document."""

import json
from collections import Counter
from pathlib import Path

KEYS = ("IN", "FIND", "PUT", "WHY")


class Journal:
    """One line of JSON for each mutant tried, so that a run that ends early can go on."""

    def __init__(self, path, digest):
        self.path = Path(path)
        self.digest = digest
        self.known = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                entry = json.loads(line)
                if entry["digest"] == digest:
                    self.known[entry["key"]] = entry

    def add(self, entry):
        entry["digest"] = self.digest
        self.known[entry["key"]] = entry
        with open(self.path, "a") as file:
            file.write(json.dumps(entry) + "\n")


def entry_of(key, mutant, outcome, found_by=None, seconds=0.0):
    return {
        "key": key, "room": mutant.room, "file": mutant.file, "line": mutant.line,
        "rule": mutant.rule, "before": mutant.before, "after": mutant.after,
        "outcome": outcome, "found_by": found_by, "seconds": round(seconds, 1),
    }  # fmt: skip


def read_reasons(path):
    """Why some mutants survive: by file, line before and line after."""
    reasons, entry = {}, {}
    if not Path(path).exists():
        return reasons
    for line in Path(path).read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word not in KEYS:
            continue
        entry[word] = " ".join(rest.split())
        if word == "WHY":
            reasons[(entry["IN"], entry["FIND"], entry.get("PUT", ""))] = entry["WHY"]
            entry = {}
    return reasons


def explain(entries, reasons):
    for entry in entries:
        if entry["outcome"] == "survived":
            place = (entry["file"], entry["before"], entry["after"])
            entry["reason"] = reasons.get(place)


def survivor_text(entry):
    text = f"{entry['file']}:{entry['line']}: {entry['rule']}\n    {entry['before']}\n    {entry['after']}"
    return text + (f"\n    reason: {entry['reason']}" if entry.get("reason") else "")


def summary(entries, group):
    """Counts by the entries' `group`, and of all."""
    table = {}
    for name in sorted({entry[group] for entry in entries}) + ["all"]:
        counts = Counter()
        for entry in entries:
            if name in ("all", entry[group]):
                counts[entry["outcome"]] += 1
                counts["with a reason"] += bool(entry.get("reason"))
        tried = counts["found"] + counts["survived"]
        table[name] = {
            "tried": tried,
            "found": counts["found"],
            "survived": counts["survived"],
            "survived_with_reason": counts["with a reason"],
            "found_share": round(counts["found"] / tried, 3) if tried else None,
            "did_not_compile": counts["does not compile"],
        }
    return table


def print_table(heading, table):
    print(
        f"\n{heading:12} {'tried':>6} {'found':>6} {'share':>7} {'survived':>9} {'of them with a reason':>22}"
    )
    for name, row in table.items():
        share = "" if row["found_share"] is None else f"{100 * row['found_share']:.1f} %"
        print(
            f"{name:12} {row['tried']:6} {row['found']:6} {share:>7} {row['survived']:9}"
            f" {row['survived_with_reason']:22}"
        )


def document(entries, facts):
    keep = ("room", "file", "line", "rule", "before", "after")
    survivors = [e for e in entries if e["outcome"] == "survived"]
    found = [e for e in entries if e["outcome"] == "found"]
    return facts | {
        "rooms": summary(entries, "room"),
        "rules": summary(entries, "rule"),
        "survivors": [{k: e[k] for k in keep} | {"reason": e.get("reason")} for e in survivors],
        "found": [{k: e[k] for k in keep} | {"found_by": e["found_by"]} for e in found],
    }
