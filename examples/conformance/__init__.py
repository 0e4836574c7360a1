"""The fixtures that the official conformance suite calls, as marked methods.

``everything.py`` registers an object of each class. Left out are the fixtures that need HTTP or
tasks.
"""

from .content import ContentTools
from .feedback import FeedbackTools
from .pages import FixturePrompts, FixtureResources
from .questions import QuestionTools
from .rounds import RoundTrips
from .schema import SchemaTools

__all__ = [
    "ContentTools",
    "FeedbackTools",
    "FixturePrompts",
    "FixtureResources",
    "QuestionTools",
    "RoundTrips",
    "SchemaTools",
]
