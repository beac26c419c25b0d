"""The search for problems that a model fails: SAGGA (Welleck et al., section 2.5) and variants."""

from .sagga import search, search_spec
from .settings import SearchSettings, preset_names, search_settings

__all__ = ["SearchSettings", "preset_names", "search", "search_settings", "search_spec"]
