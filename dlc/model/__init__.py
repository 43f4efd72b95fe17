"""What a chip does with a kernel that is described by numbers: pure functions that know no IR."""
