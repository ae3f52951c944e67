"""The keywords that the help lists are those that findings have."""

import ast
from pathlib import Path

import viewer.analysis.suspicions
from viewer.analysis.finding_words import KEYWORDS

FOLDER = Path(viewer.analysis.suspicions.__file__).parent


def texts(node: ast.AST) -> set[str]:
    found = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
    return {value for value in found if isinstance(value, str)}


def test_every_keyword_of_a_finding_is_listed_and_every_listed_one_is_used():
    trees = [ast.parse(path.read_text("utf-8")) for path in FOLDER.glob("suspicion_*.py")]
    given = {
        text
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "keyword"
        for text in texts(node.value)
    }
    assert len(trees) > 10
    assert given <= KEYWORDS.keys()
    assert set().union(*map(texts, trees)) >= KEYWORDS.keys()
