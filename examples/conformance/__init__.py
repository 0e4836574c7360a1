"""The fixtures that the official conformance suite calls, as marked methods.

``everything.py`` registers an object of each class. Left out are the fixtures of the tasks
extension, which is not there.
"""

from .content import ContentTools
from .feedback import FeedbackTools
from .pages import FixturePrompts, FixtureResources
from .questions import QuestionTools
from .rounds import RoundTrips
from .schema import SchemaTools
from .transport import TransportTools

__all__ = [
    "ContentTools",
    "FeedbackTools",
    "FixturePrompts",
    "FixtureResources",
    "QuestionTools",
    "RoundTrips",
    "SchemaTools",
    "TransportTools",
]
