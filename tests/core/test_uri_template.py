"""URI templates: what matches, with which text, and what is refused when it is declared."""

import re
import time
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sansmcp_core._errors import RegistrationError
from sansmcp_core._uri_template import UriTemplate, decode_once

MATCHES = [
    # Percent-decoded once, as UTF-8; a plus sign is a plus sign.
    ("docs://{name}", "docs://a%20b", {"name": "a b"}),
    ("docs://{name}", "docs://caf%C3%A9", {"name": "café"}),
    ("docs://{name}", "docs://caf%c3%a9", {"name": "café"}),
    ("docs://{name}", "docs://café", {"name": "café"}),
    ("docs://{name}", "docs://a+b", {"name": "a+b"}),
    ("docs://{name}", "docs://a%252Fb", {"name": "a%2Fb"}),
    ("docs://{name}", "docs://%252e%252e", {"name": "%2e%2e"}),
    ("docs://{name}", "docs://a..b", {"name": "a..b"}),
    # A reserved variable spans segments, encoded separators and dot segments included.
    ("docs://{+path}", "docs://a/b", {"path": "a/b"}),
    ("docs://{+path}", "docs://a%2Fb", {"path": "a/b"}),
    ("docs://{+path}", "docs://../x", {"path": "../x"}),
    ("docs://{+path}", "docs:///etc", {"path": "/etc"}),
    ("docs://{+path}/raw", "docs://a/b/raw", {"path": "a/b"}),
    ("docs://{+path}/raw", "docs://raw/raw/raw", {"path": "raw/raw"}),
    (
        "docs://{user}/{+path}.{ext}",
        "docs://u/a.b/c.d.txt",
        {"user": "u", "path": "a.b/c.d", "ext": "txt"},
    ),
    ("r://{+a}-{b}", "r://p-q/r-s", {"a": "p-q/r", "b": "s"}),
    # Several variables; literal text is taken at its first place.
    ("git://{owner}/{repo}/{+path}", "git://o/r/a/b", {"owner": "o", "repo": "r", "path": "a/b"}),
    (
        "d://{year}-{month}-{day}",
        "d://2026-07-28-a",
        {"year": "2026", "month": "07", "day": "28-a"},
    ),
    ("d://{a}.{b}", "d://x.y.z", {"a": "x", "b": "y.z"}),
    ("test://template/{id}/data", "test://template/123/data", {"id": "123"}),
    # Path segments.
    ("f://root{/a}{/b}", "f://root/x/y", {"a": "x", "b": "y"}),
    ("f://root{/a,b}", "f://root/x/y", {"a": "x", "b": "y"}),
    # Queries: none, some, all, any order, any text.
    ("s://q{?term}", "s://q", {}),
    ("s://q{?term}", "s://q?", {}),
    ("s://q{?term}", "s://q?term=a%20b", {"term": "a b"}),
    ("s://q{?term}", "s://q?term=", {"term": ""}),
    ("s://q{?term}", "s://q?term", {"term": ""}),
    ("s://q{?term}", "s://q?term=a+b", {"term": "a+b"}),
    ("s://q{?term}", "s://q?term=TCP/IP?x=1", {"term": "TCP/IP?x=1"}),
    ("s://q{?term}", "s://q?%74erm=..", {"term": ".."}),
    ("s://q{?a,b}", "s://q?b=2&a=1", {"a": "1", "b": "2"}),
    ("s://q{?a,b}", "s://q?b=2", {"b": "2"}),
    ("s://{x}{?a}", "s://1?a=%26", {"x": "1", "a": "&"}),
    # Literal text is literal.
    ("a.b://(x)+[y]*$/{v}", "a.b://(x)+[y]*$/1", {"v": "1"}),
    ("x://café/{v}", "x://caf%C3%A9/1", {"v": "1"}),
    ("x://caf%C3%A9/{v}", "x://café/1", {"v": "1"}),
    ("x://plain", "x://plain", {}),
    ("x://{v}?raw=1", "x://a?raw=1", {"v": "a"}),
    ("{+all}", "any://thing/at/all", {"all": "any://thing/at/all"}),
]

MISSES = [
    ("docs://{name}", "docs://..%2F..%2Fetc%2Fpasswd"),
    ("docs://{name}", "docs://a%2Fb"),
    ("docs://{name}", "docs://a%5Cb"),
    ("docs://{name}", "docs://a\\b"),
    ("docs://{name}", "docs://%2e%2e"),
    ("docs://{name}", "docs://.%2E"),
    ("docs://{name}", "docs://."),
    ("docs://{name}", "docs://.."),
    ("docs://{name}", "docs://a/b"),
    ("docs://{name}", "docs://%zz"),
    ("docs://{name}", "docs://%"),
    ("docs://{name}", "docs://%4"),
    ("docs://{name}", "docs://%٤١"),
    ("docs://{name}", "docs://%ff"),
    ("docs://{name}", "docs://%C3"),
    ("docs://{name}", "docs://%C0%AF"),
    ("docs://{name}", "docs://%ED%A0%80"),
    ("docs://{name}", "docs://\ud800"),
    ("docs://{name}", "docs://x%00y"),
    ("docs://{name}", "docs://x\0y"),
    ("docs://{name}", "docs://"),
    ("docs://{name}", "docs://a?x=1"),
    ("docs://{name}", "docs://a#x"),
    ("docs://{name}", "DOCS://a"),
    ("docs://{name}", "docs://a\ndocs://b/"),
    ("docs://{name}/x", "docs:///x"),
    ("docs://{+path}", "docs://a%00"),
    ("docs://{+path}", "docs://a?b"),
    ("docs://{+path}", "docs://"),
    ("docs://{+path}/raw", "docs:///raw"),
    ("docs://{a}/{+path}/{b}", "docs://a//b"),
    ("f://root{/a}", "f://root"),
    ("f://root{/a}", "f://root/%2e%2e"),
    ("s://q{?term}", "s://q?other=1"),
    ("s://q{?term}", "s://q?term=1&other=1"),
    ("s://q{?term}", "s://q?term=1&term=2"),
    ("s://q{?term}", "s://q?term=1&"),
    ("s://q{?term}", "s://q?term=%00"),
    ("s://q{?term}", "s://q?term=%ff"),
    ("s://q{?term}", "s://q?term=1#x"),
    ("a.b://{v}", "axb://1"),
    ("x://plain", "x://plain2"),
]

REFUSED = [
    ("x://{#a}", "{#a} is not supported"),
    ("x://{.a}", "{.a} is not supported"),
    ("x://{;a}", "{;a} is not supported"),
    ("x://{&a}", "{&a} is not supported"),
    ("x://{=a}", "{=a} is not supported"),
    ("x://{a*}", "{a*} is not supported"),
    ("x://{a:3}", "{a:3} is not supported"),
    ("x://{}", "{} is not supported"),
    ("x://{?}", "{?} is not supported"),
    ("x://{?a,}", "{?a,} is not supported"),
    ("x://{a b}", "{a b} is not supported"),
    ("x://{ä}", "{ä} is not supported"),
    ("x://{a", "has no counterpart"),
    ("x://a}", "has no counterpart"),
    ("x://{{a}}", "has no counterpart"),
    ("x://{a,b}", "write {a},{b}"),
    ("x://{+a,b}", "write {+a},{+b}"),
    ("x://{a}{b}", "nothing separates the variables 'a' and 'b'"),
    ("x://{a}{+b}", "nothing separates the variables 'a' and 'b'"),
    ("x://{+a}/{+b}", "ambiguous"),
    ("x://{a}/{a}", "'a' appears twice"),
    ("x://{a}{?a}", "'a' appears twice"),
    ("x://{?a}/b", "must come last"),
    ("x://{?a}{?b}", "nothing may follow {?a}"),
    ("x://y?a={a}", "follows a literal '?'"),
    ("x://y?a=1{?b}", "follows a literal '?'"),
    ("x://a b/{c}", "percent-encoded"),
    ("x://\ud800/{c}", "percent-encoded"),
    ("x://a%/{c}", "'%25'"),
]


@pytest.mark.parametrize(("template", "uri", "variables"), MATCHES)
def test_a_uri_gives_its_variables_decoded_once(
    template: str, uri: str, variables: dict[str, str]
) -> None:
    assert UriTemplate(template).match(uri) == variables


@pytest.mark.parametrize(("template", "uri"), MISSES)
def test_a_uri_that_does_not_fit_or_would_escape_its_segment_is_no_match(
    template: str, uri: str
) -> None:
    assert UriTemplate(template).match(uri) is None


@pytest.mark.parametrize(("template", "words"), REFUSED)
def test_other_forms_are_refused_with_a_way_out(template: str, words: str) -> None:
    with pytest.raises(RegistrationError) as refused:
        UriTemplate(template)
    assert words in str(refused.value)
    assert repr(template) in str(refused.value)


def test_variables_come_in_the_order_of_the_template() -> None:
    template = UriTemplate("x://{a}/{+b}/{c}-{d}{?f,e}")
    assert template.variables == ("a", "b", "c", "d", "f", "e")
    assert template.query == ("f", "e")
    match = template.match("x://1/2/2/3-4?e=6&f=5")
    assert match == {"a": "1", "b": "2/2", "c": "3", "d": "4", "f": "5", "e": "6"}
    assert repr(template) == "UriTemplate('x://{a}/{+b}/{c}-{d}{?f,e}')"


@pytest.mark.parametrize(
    ("text", "decoded"),
    [("a%20b", "a b"), ("%2525", "%25"), ("%zz", None), ("%ff", None), ("%+1", None), ("", "")],
)
def test_a_broken_escape_can_be_told_from_a_uri_nobody_serves(
    text: str, decoded: str | None
) -> None:
    assert decode_once(text) == decoded


@pytest.mark.parametrize(
    "template",
    ["x://{a}a{b}a{c}a{d}a{e}a{f}b", "x://{a}aa{+b}aa{c}aa{d}b", "x://{+a}{?q}"],
)
def test_matching_takes_linear_time(template: str) -> None:
    hostile = "x://" + "a" * 1_000_000
    start = time.perf_counter()
    UriTemplate(template).match(hostile)
    UriTemplate(template).match(hostile + "?" + "&" * 1_000_000)
    assert time.perf_counter() - start < 5


TEMPLATES = [UriTemplate(text) for text in dict.fromkeys(row[0] for row in MATCHES)]
some_template = st.sampled_from(TEMPLATES)


@given(some_template, st.text())
@example(UriTemplate("s://q{?a,b}"), "?%")
def test_arbitrary_text_never_raises(template: UriTemplate, text: str) -> None:
    for uri in (text, template.text + text, template.text.partition("{")[0] + text):
        match = template.match(uri)
        assert match is None or set(match) <= set(template.variables)


@given(some_template, st.data())
def test_an_expanded_uri_reads_back_as_the_same_variables(
    template: UriTemplate, data: st.DataObject
) -> None:
    drawn = {name: data.draw(st.text(), label=name) for name in template.variables}
    refused = ""
    try:
        uri = template.expand(drawn)
    except ValueError as error:
        refused = str(error)
    if refused:
        assert template.text in refused
    else:
        assert uri.isascii()
        assert template.match(uri) == drawn


@given(st.text(st.characters(exclude_characters="/\\\0", exclude_categories=["Cs"]), min_size=1))
def test_any_text_without_separators_survives_a_single_segment(text: str) -> None:
    template = UriTemplate("x://{a}/end")
    if text in (".", ".."):
        with pytest.raises(ValueError, match="dot segment"):
            template.expand({"a": text})
    else:
        assert template.match(template.expand({"a": text})) == {"a": text}


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_any_text_but_nul_survives_a_reserved_variable(text: str) -> None:
    template = UriTemplate("x://{+a}/end")
    assert template.match(template.expand({"a": text})) == {"a": text}


@pytest.mark.parametrize(
    "variables", [{}, {"a": ""}, {"a": "x", "b": "y"}, {"a": "\ud800"}, {"a": "x/y"}]
)
def test_expanding_without_a_uri_that_reads_back_is_an_error(variables: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="has no URI for"):
        UriTemplate("x://{a}").expand(variables)


FITS = {
    "{a}-{b}": r"[^/]+-[^/]+",
    "{a}/{b}+{c}": r"[^/]+/[^/]+\+[^/]+",
    "{a}/b{b}/{c}": r"[^/]+/b[^/]+/[^/]+",
    "{a}-{+p}/{b}+a": r"[^/]+-.+/[^/]+\+a",
    "a{+p}-{b}/{c}": r"a.+-[^/]+/[^/]+",
    "{a}-b{b}-{c}": r"[^/]+-b[^/]+-[^/]+",
}


@given(st.sampled_from(sorted(FITS)), st.text("ab/-+", max_size=12))
def test_the_first_fit_finds_a_match_wherever_there_is_one(template: str, text: str) -> None:
    match = UriTemplate("x:" + template).match("x:" + text)
    assert (match is not None) == (re.fullmatch(FITS[template], text) is not None)


def test_decoding_agrees_with_the_standard_library_where_that_is_strict() -> None:
    for text in ("a%20b", "caf%C3%A9", "%252F", "%41%4a"):
        assert decode_once(text) == unquote(text, errors="strict")
