"""A pattern means what ECMA-262 says, in bounded time, or is refused."""

import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sansmcp_schema.json_check import (
    PatternError,
    SchemaLimits,
    UntranslatablePattern,
    compile_check,
    translate,
)
from sansmcp_schema.json_check._pattern_parse import (
    Assertion,
    Choice,
    Look,
    One,
    Repeat,
    Sequence,
    Tree,
    parse,
)
from sansmcp_schema.json_check._pattern_run import linear_search
from sansmcp_schema.json_check._pattern_simplify import simplify

MEANINGS: list[tuple[str, list[str], list[str]]] = [
    # pattern, texts it matches, texts it does not match
    ("", ["", "a"], []),
    ("b", ["abc"], ["ac"]),
    ("^a$", ["a"], ["a\n", "\na", "aa"]),
    ("a$|^b", ["ba", "bx"], ["a\n", "xb"]),
    ("^.$", ["a", "\x85", "\x0b", "\x1c", "\U0001f600"], ["\n", "\r", "\u2028", "\u2029", ""]),
    (r"^\d$", ["7"], ["\u0667", "\uff17", "a"]),
    (r"^\D$", ["\u0667", "a"], ["7"]),
    (r"^\w$", ["a", "Z", "_", "0"], ["\xe9", "\u0130", "-"]),
    (r"^\W$", ["\xe9", "-"], ["a"]),
    (r"^\s$", [" ", "\t", "\xa0", "\ufeff", "\u2028", "\u3000"], ["\x1c", "\x85", "a", "\u180e"]),
    (r"^\S$", ["\x1c", "a"], ["\ufeff", " "]),
    (r"^[\s\d]$", ["5", "\ufeff"], ["a"]),
    (r"^[^\s\d]$", ["a"], ["5", "\ufeff"]),
    (r"^[\S]$", ["a"], [" "]),
    (r"^[^\W]$", ["a"], ["-"]),
    (r"a\b", ["a", "a\xe9"], ["ab"]),
    (r"\B", ["", "ab"], ["a"]),
    (r"^[\b]$", ["\x08"], ["b"]),
    (r"^\t\n\v\f\r$", ["\t\n\x0b\x0c\r"], ["tnvfr"]),
    (r"^\0$", ["\0"], ["0"]),
    (r"^\cJ\cj$", ["\n\n"], ["cJ"]),
    (r"^\x41\u0042\u{43}\u{1F600}$", ["ABC\U0001f600"], ["x41"]),
    (r"^\uD83D\uDE00$", ["\U0001f600"], ["\ud83d"]),
    (r"^\uD83D$", ["\ud83d"], ["\U0001f600"]),
    (r"^\uD83Da\uD83D\u0041\uD83D\u{41}$", ["\ud83da\ud83dA\ud83dA"], []),
    ("^[\U0001f600-\U0001f64f]{2}$", ["\U0001f600\U0001f64f"], ["\U0001f650\U0001f600"]),
    (r"^\/\-\@\.\]\}\ \"$", ['/-@.]} "'], ["-"]),
    ("^a]}$", ["a]}"], ["a"]),
    (r"^[\w-.]+$", ["a-.b"], ["a/b"]),
    (r"^[a-\d]+$", ["a-5"], ["b"]),
    ("^[-a]+[a-]$", ["-a-"], ["b"]),
    ("^[a-c]$", ["b"], ["d"]),
    ("[]", [], ["", "a"]),
    ("^[^]$", ["\n", "a"], ["", "ab"]),
    ("^[[(&&||~~-]$", ["[", "(", "&", "|", "~", "-"], ["a", "]"]),
    ("^(?<year>[0-9]{4})-(?:0[1-9]|1[0-2])$", ["2026-11"], ["2026-13"]),
    ("^(?=.*b)a", ["axb"], ["ax", "b"]),
    ("a(?!b)", ["ac", "a"], ["ab"]),
    ("(?<=a)b", ["ab"], ["b", "cb"]),
    ("(?<!a)b", ["b", "cb"], ["ab"]),
    ("^a{2}b{1,}c{0,1}d{2,3}$", ["aabdd", "aabbcddd"], ["abdd", "aabd", "aabdddd"]),
    ("^a*?b+?c??$", ["ab", "bbc"], ["a"]),
    ("^(?:|a)+$", ["", "aa"], ["b"]),
    ("^(a?){3}$", ["", "aaa"], ["aaaa"]),
    ("^(a?b?)*$", ["", "abba"], ["c"]),
    ("^(?:a|(?:b|))*$", ["", "abba"], ["c"]),
    ("^(?:a*)*$", ["", "aa"], ["b"]),
    (r"^(?:\b)*a(?:$)?$", ["a"], ["b"]),
    (r"^(?:\b){2}a$", ["a"], [""]),
    ("^a{0}$", [""], ["a"]),
    ("^(a{1}){1}$", ["a"], ["aa"]),
    ("^(?:^a|b$)$", ["a", "b"], ["ab"]),
    (r"^\p{L}+$", ["a\xe9\u0436"], ["a1"]),
    (r"^\p{Lu}\P{Lu}$", ["Aa"], ["AA"]),
    (r"^[\p{Letter}\p{gc=Nd}]+$", ["a\u0667"], ["-"]),
    (r"^\p{General_Category=Uppercase_Letter}$", ["\xc9"], ["\xe9"]),
    (r"^\p{LC}$", ["a", "A", "\u01c5"], ["\u05d0"]),
    (r"^\p{ASCII}$", ["a"], ["\xe9"]),
    (r"^\p{Any}$", ["\n"], [""]),
    (r"^\p{Assigned}$", ["a"], ["\u0378"]),
    (r"^\p{AHex}$", ["f"], ["g"]),
    (r"^\p{Cn}$", ["\u0378"], ["a"]),
]


@pytest.mark.parametrize(("pattern", "good", "bad"), MEANINGS, ids=lambda one: ascii(one)[:50])
def test_meanings(pattern: str, good: list[str], bad: list[str]) -> None:
    search = translate(pattern).search

    assert [text for text in good if not search(text)] == []
    assert [text for text in bad if search(text)] == []


MALFORMED = [
    ("(", "missing )"),
    (")", "unmatched )"),
    ("[a", "missing ]"),
    ("[b-a]", "out of order"),
    ("*a", "nothing to repeat before *"),
    ("a**", "nothing to repeat"),
    ("a*+", "possessive"),
    ("a{2}{3}", "nothing to repeat"),
    ("^*", "an assertion cannot be repeated"),
    (r"\b+", "an assertion cannot be repeated"),
    ("(?=a)*", "an assertion cannot be repeated"),
    ("a{2,1}", "out of order"),
    ("a{,5}", r"written \{"),
    ("a{x}", r"written \{"),
    ("{a}", r"written \{"),
    ("a{", r"written \{"),
    ("\\", "nothing follows"),
    (r"\A", r"\A is no ECMA-262 escape; write ^"),
    (r"a\Z", "write $"),
    (r"\a", "write"),
    (r"\_x\y", r"\y is no ECMA-262 escape"),
    ("\\\xe9", "no ECMA-262 escape"),
    (r"\01", "no ECMA-262 escape"),
    (r"[\1]", "no ECMA-262 escape"),
    (r"\c1", "expected a letter"),
    (r"\x4", "2 hexadecimal digits"),
    (r"\u004", "4 hexadecimal digits"),
    (r"\u{110000}", "at most 10FFFF"),
    (r"\u{}", "at most 10FFFF"),
    (r"\u{41", "at most 10FFFF"),
    (r"\pL", "expected {...}"),
    (r"\p{L", "expected {...}"),
    ("(?P<a>b)", "(?<name>...)"),
    ("(?P=a)", "no ECMA-262 syntax"),
    ("(?#a)", "no ECMA-262 syntax"),
    ("(?>a)", "no ECMA-262 syntax"),
    ("(?(1)a)", "no ECMA-262 syntax"),
    ("(?", "no ECMA-262 syntax"),
    ("(?<1>a)", "expected a new name"),
    ("(?<a", "expected a new name"),
    ("(?<a>b)(?<a>b)", "expected a new name"),
]


@pytest.mark.parametrize(("pattern", "words"), MALFORMED)
def test_what_is_no_ecma_262_is_refused(pattern: str, words: str) -> None:
    with pytest.raises(PatternError) as caught:
        translate(pattern)

    assert words in str(caught.value)
    assert not isinstance(caught.value, UntranslatablePattern)


UNTRANSLATED = [
    (r"(a)\1", "back to a group"),
    (r"(?<x>a)\k<x>", "back to a group"),
    ("(?i:a)", "flags"),
    ("(?i)a", "flags"),
    (r"\p{Script=Greek}", "Unicode property"),
    (r"\p{sc=Greek}", "Unicode property"),
    (r"\p{Alphabetic}", "Unicode property"),
    (r"\p{gc=Any}", "Unicode property"),
    ("(?<=a+)b", "fixed-width"),
    ("a{100001}", "more than 100000 repetitions"),
    ("a{99999999999}", "more than 100000 repetitions"),
    ("(" * 60 + ")" * 60, "groups nest deeper"),
    (r"(?:\ba?)*", "only where an assertion holds"),
    (r"(?:(?:\b|a)b?)*", "only where an assertion holds"),
    (r"(?:a|(?:\bb?)?c?)*", "only where an assertion holds"),
    (r"(?:a?|\bb?)*", "only where an assertion holds"),
    (r"\b(?:a+)+\b", "exponentially"),
    (r"\b(?:a|\w){9}\b", "exponentially"),
    (r"\b" + "a?" * 30 + r"\b", "too many ways"),
    (r"\b(?:a|\w)*\b", "exponentially"),
    (r"\b(?:\w\w|\w)*\b", "exponentially"),
    (r"(?=(?:a|\w)*b)", "exponentially"),
    (r"\b(?:(?:a?|b?)c)*\b", "exponentially"),
    (r"\b(?:(?:[ab]{50}){30}){30}\b(?:[ab]{200}c?){2,}\b", "exponentially"),
]


@pytest.mark.parametrize(("pattern", "words"), UNTRANSLATED)
def test_what_cannot_be_run_faithfully_and_in_time_is_refused(pattern: str, words: str) -> None:
    with pytest.raises(UntranslatablePattern) as caught:
        translate(pattern)

    assert words in str(caught.value)


def test_what_is_refused_is_left_to_the_other_engine() -> None:
    check = compile_check({"pattern": r"^(a|b)\1$", "patternProperties": {"(?i:x)": False}})

    assert check.is_valid("aa")
    assert not check.is_valid("ab")
    assert not check.is_valid({"X": 1})
    assert [one.keyword for one in check.violations("ab")] == ["pattern"]


HARMFUL = [
    "^(a+)+$",
    "^(a*)*$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "^([a-zA-Z]+)*$",
    r"^(\w+\s?)*$",
    "(x+x+)+y",
    "(.*a){12}$",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"\s+$",
    "a.*b.*c.*d",
    "^.*.*.*=$",
    r"^(?:[a-z0-9]{1,63}\.){1,30}$",
    "a?" * 30 + "a{30}",
]


@pytest.mark.parametrize("pattern", HARMFUL)
@pytest.mark.parametrize("text", ["a" * 30_000 + "!", " " * 30_000 + "x", "ab1." * 8000 + "\n"])
def test_no_text_makes_a_search_slow(pattern: str, text: str) -> None:
    search = translate(pattern).search
    began = time.monotonic()

    search(text)
    search(text[:280])
    search(text[:29])
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "pattern",
    [
        r"^[a-z]+(-[a-z]+)*$",
        r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
        "^https?://.+$",
        r"^.*\S.*$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$",
        r"^\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$",
    ],
)
def test_usual_patterns_have_no_bound_on_the_text(pattern: str) -> None:
    assert translate(pattern).max_characters is None


def test_where_time_is_not_linear_for_sure_the_text_is_bounded_and_errors_say_so() -> None:
    pattern = r"\bx.*y\b"
    check = compile_check({"pattern": pattern}, limits=SchemaLimits(max_searched_characters=100))

    assert translate(pattern).max_characters == 5000
    assert check.is_valid("x" + "." * 98 + "y")
    assert [one.message for one in check.violations("x" + "." * 99 + "y")] == [
        r'expected string that matches "\\bx.*y\\b", got 101 characters; at most 100 are searched'
    ]


def test_an_automaton_keeps_few_states_whatever_it_reads() -> None:
    search = linear_search(parse("^.*[ab].{14}$"))
    assert search is not None

    chance = random.Random(1)
    text = "".join(chance.choice("abx") for _ in range(3000))
    assert search(text + "a" + "x" * 14)
    assert not search(text + "x" * 15)
    assert search("".join(chr(at) for at in range(0x100, 0x500)) + "a" + "x" * 14)


def test_a_pattern_too_large_for_an_automaton_is_run_the_other_way() -> None:
    assert linear_search(parse("(?:a{100}){100}")) is None
    assert translate("^(?:a{100}){100}$").search("a" * 10_000)
    for large in (
        r"\b(?:" + "|".join(f"\\w{{{at}}}-" for at in range(1, 71)) + r")*\b",
        r"\b" + "a{200}" * 16 + r"\b",
    ):
        with pytest.raises(UntranslatablePattern, match="too large"):
            translate(large)


# The meaning of trees, in the plainest way: the places where a match may end.


def ends(tree: Tree, text: str, starts: set[int]) -> set[int]:
    if isinstance(tree, One):
        inside = {at for at in starts if at < len(text)}
        return {at + 1 for at in inside if any(a <= ord(text[at]) <= b for a, b in tree.points)}
    if isinstance(tree, Sequence):
        for part in tree.parts:
            starts = ends(part, text, starts)
        return starts
    if isinstance(tree, Choice):
        return set().union(*(ends(option, text, starts) for option in tree.options))
    if isinstance(tree, Assertion):
        return {at for at in starts if asserted(tree.kind, text, at)}
    if isinstance(tree, Look):
        return {at for at in starts if seen(tree, text, at) != ("!" in tree.opening)}
    return repeated(tree, text, starts)


def repeated(tree: Repeat, text: str, starts: set[int]) -> set[int]:
    for _ in range(tree.low):
        starts = ends(tree.part, text, starts)
    reached, times = set(starts), tree.low
    while tree.high is None or times < tree.high:
        starts, times = ends(tree.part, text, starts), times + 1
        if starts <= reached:
            break
        reached |= starts
    return reached


def seen(tree: Look, text: str, at: int) -> bool:
    if "<" in tree.opening:
        return any(at in ends(tree.part, text, {before}) for before in range(at + 1))
    return bool(ends(tree.part, text, {at}))


def asserted(kind: str, text: str, at: int) -> bool:
    if kind in ("start", "end"):
        return at == (0 if kind == "start" else len(text))
    words = [0 <= one < len(text) and is_word(text[one]) for one in (at - 1, at)]
    return (words[0] != words[1]) is (kind == "word")


def is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


ATOMS = st.sampled_from(
    [
        "a",
        "b",
        ".",
        "[ab]",
        "[^a]",
        r"\w",
        r"\s",
        r"\d",
        "",
        "^",
        "$",
        r"\b",
        r"\B",
        r"[\w-]",
        r"\S",
    ]
)
QUANTIFIERS = st.sampled_from(["*", "+", "?", "{2}", "{0,3}", "*?", "+?", "??", "{3,9}"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(st.sampled_from(["(?=", "(?!", "(?<=", "(?<!"]), inner).map(
            lambda pair: f"{pair[0]}{pair[1]})"
        ),
        st.tuples(inner, QUANTIFIERS).map(lambda pair: f"({pair[0]}){pair[1]}"),
    ),
    max_leaves=8,
)


@given(PATTERNS, st.text("aab \nx_\xe91", max_size=9))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_a_pattern_matches_what_its_tree_means(pattern: str, text: str) -> None:
    tree = parse(pattern)
    expected = any(ends(tree, text, {at}) for at in range(len(text) + 1))
    try:
        simple = simplify(tree)
        search = translate(pattern).search
    except UntranslatablePattern:
        return
    linear = linear_search(simple)

    assert search(text) is expected
    assert linear is None or linear(text) is expected


@given(st.text(max_size=40) | st.text("()[]{}|*+?^$\\.-,1abpPuxcdwsBk<>=!:", max_size=25))
@settings(max_examples=600, deadline=None, derandomize=True)
def test_any_text_is_a_pattern_or_a_pattern_error(text: str) -> None:
    try:
        found: Any = translate(text).search("aab")
    except PatternError:
        found = False

    assert found in (True, False)
