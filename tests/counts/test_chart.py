"""The figures that the documents show are those of the results, and nobody has touched them."""

import json

import chart
import pytest

SAMPLES = [
    {"column": "call c=64", "row": "mcp high-level", "round": turn, "rate": rate, "p50": 9.0}
    for turn, rate in enumerate((100.0, 200.0, 400.0))
] + [
    {"column": "call c=64", "row": "ours", "round": turn, "rate": rate, "p50": 3.0}
    for turn, rate in enumerate((300.0, 500.0, 2000.0))
]


def test_the_documents_show_the_results_that_are_kept() -> None:
    results = json.loads(chart.RESULTS.read_text(encoding="utf-8"))
    for path, text in chart.written(results).items():
        assert path.read_text(encoding="utf-8") == text, f"run python bench/chart.py for {path}"


def test_ratios_are_taken_round_by_round_and_then_their_median() -> None:
    row = chart.condense({"http": SAMPLES})["call c=64"]["ours"]
    assert row == {"p50": 3.0, "rate": 500.0, "ratio": 3.0}


def test_a_start_is_compared_by_its_time() -> None:
    samples = [
        {"column": "cold", "row": row, "round": 0, "ms": ms, "rss": 9.0}
        for row, ms in (("mcp high-level", 600.0), ("ours", 60.0))
    ]
    assert chart.condense({"cold": samples})["cold"]["ours"]["ratio"] == 0.1


def test_a_document_without_a_place_for_it_is_told_how_to_have_one() -> None:
    with pytest.raises(ValueError, match="<!-- chart: begin -->"):
        chart.put("a document", "chart", "bars")
