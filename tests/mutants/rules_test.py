#!/usr/bin/env python3
"""What scripts/mutate changes in C++, and what it leaves alone."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts" / "mutation"))
sys.dont_write_bytecode = True

import report  # noqa: E402
import rules  # noqa: E402
import sample  # noqa: E402


def changes(body, rule=None):
    """The lines that `body`, the inside of a function, turns into."""
    text = "int f() {\n" + body + "\n}\n"
    mutants = rules.mutants_of("core/f.cpp", text)
    return {each.after for each in mutants if rule in (None, each.rule)}


class Rules(unittest.TestCase):
    def test_operators_are_exchanged(self):
        self.assertEqual(changes("g(a < b);", "comparison"), {"g(a <= b);", "g(a >= b);"})
        self.assertEqual(changes("g(a && b);", "logic"), {"g(a || b);"})
        self.assertEqual(changes("g(a + b);", "arithmetic"), {"g(a - b);"})
        self.assertEqual(changes("g(std::min(a, b));", "function"), {"g(std::max(a, b));"})

    def test_constants_move_by_one(self):
        self.assertEqual(changes("x = 8;", "constant"), {"x = 9;", "x = 7;"})
        self.assertEqual(changes("x = 1'000u;", "constant"), {"x = 1001u;", "x = 999u;"})
        self.assertEqual(changes("x = -1;", "constant"), {"x = -0;"})
        self.assertEqual(changes("x = 0.5f;", "constant"), {"x = 1.0f;", "x = 0.0f;"})
        self.assertEqual(changes("x = true;", "constant"), {"x = false;"})

    def test_conditions_are_turned_round_and_never_hold(self):
        self.assertEqual(changes("if (a) g();", "branches"), {"if (!(a)) g();", "if (false) g();"})
        self.assertEqual(changes("return a ? b : c;", "branches"), {"return !(a) ? b : c;"})

    def test_calls_and_assignments_are_removed_but_not_declarations(self):
        self.assertEqual(changes("g(1);", "removal"), {";"})
        self.assertEqual(changes("a.b[2] = c;", "removal"), {";"})
        for declaration in (
            "const int a = b;",
            "std::lock_guard lock(mutex);",
            "T& a = b;",
            "std::vector<int> a(n);",
            "auto* a = b;",
            "Index a = 0;",
        ):
            self.assertEqual(changes(declaration, "removal"), set(), declaration)

    def test_a_value_returned_becomes_the_empty_one(self):
        self.assertEqual(changes("return a.b();", "return"), {"return {};"})
        for empty in ("{}", "0", "nullptr", "std::nullopt"):
            self.assertEqual(changes(f"return {empty};", "return"), set(), empty)

    def test_brackets_of_templates_references_and_pointers_stay(self):
        self.assertEqual(changes("std::array<int, 3> a; T&& b = c; T* d = e;"), set())

    def test_texts_and_what_composes_them_stay(self):
        for body in (
            'throw Error(Code::Bad, "a" + b);',
            'text = "1 < 2";',
            "// a < b",
            "log(Level::Info, name(a + 1));",
            "v.reserve(a + 1);",
            "static_assert(a < 1);",
        ):
            self.assertEqual(changes(body), set(), body)

    def test_lambdas_are_code_and_lists_are_not_statements(self):
        self.assertIn(
            "sort([](int a, int b) { return a <= b; });",
            changes("sort([](int a, int b) { return a < b; });"),
        )
        self.assertEqual(changes("const Point p{.x = 1};", "removal"), set())

    def test_only_code_and_the_values_of_constants_are_changed(self):
        text = "enum A { B = 1 };\nint f(int a = 3);\nconstexpr int c = 4;\nstruct S { int s = 0; };\ntemplate class X<int>;\n"
        self.assertEqual(
            {each.after for each in rules.mutants_of("core/f.cpp", text)},
            {"constexpr int c = 5;", "constexpr int c = 3;"},
        )


class Sampling(unittest.TestCase):
    def setUp(self):
        text = "int f() {\n" + "".join(f"  g{i}(a < {i});\n" for i in range(2, 30)) + "}\n"
        self.mutants = rules.mutants_of("core/f.cpp", text)

    def test_the_order_depends_on_the_seed_alone(self):
        same = sample._one_a_line(list(reversed(self.mutants)), 1)
        self.assertEqual(sample._one_a_line(self.mutants, 1), same)
        self.assertNotEqual(sample._one_a_line(self.mutants, 2), same)

    def test_each_line_is_changed_once_before_any_is_changed_twice(self):
        lines = [each.line for each in sample._one_a_line(self.mutants, 1)]
        self.assertEqual(sorted(lines[:28]), sorted(set(lines)))

    def test_all_that_is_asked_for_is_shared_out(self):
        queues = [sample.Queue(f"core/{i}.cpp", self.mutants[: 3 * i]) for i in range(1, 8)]
        sample._share_out(queues, 20, {})
        self.assertEqual(sum(queue.wanted for queue in queues), 20)


class Reports(unittest.TestCase):
    def test_what_does_not_compile_does_not_count(self):
        entries = [
            {"room": "core", "outcome": outcome}
            for outcome in ("found", "found", "found", "survived", "does not compile")
        ]
        self.assertEqual(report.summary(entries, "room")["core"]["found_share"], 0.75)


if __name__ == "__main__":
    unittest.main()
