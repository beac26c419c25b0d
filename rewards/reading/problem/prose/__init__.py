"""The prose of a question, apart from formulas, for all kinds of questions.

`vocabulary` has the words, and `words` finds and removes the words. `frame` removes numbers,
titles and hints around a question, and `instructions` the sentences of a prompt on the response.
"""

from .frame import without_frame as without_frame
from .instructions import is_manner as is_manner
from .instructions import without_instructions as without_instructions
from .vocabulary import COMMON as COMMON
from .vocabulary import INSTRUCTIONS as INSTRUCTIONS
from .vocabulary import ORDINALS as ORDINALS
from .vocabulary import POWER_SERIES as POWER_SERIES
from .vocabulary import SUBSTITUTION as SUBSTITUTION
from .vocabulary import TABLE as TABLE
from .vocabulary import UNSPACED as UNSPACED
from .words import phrases as phrases
from .words import says as says
from .words import states_kind as states_kind
from .words import without_asides as without_asides
from .words import without_words as without_words
