// Nothing: the target of this source compiles headers for others.
