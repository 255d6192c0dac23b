// A library of twins has a source even where none is built beside it.
