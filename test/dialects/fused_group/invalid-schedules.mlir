// RUN: dlc-opt %s --split-input-file --verify-diagnostics

// A schedule is checked where it is read, whatever is done with it then.

// expected-error@below {{schedule key strategy is missing; there are: attention, contract, map, recurrent, row, scan}}
builtin.module attributes {schedule = #loop.schedule<target = "gpu">} {}

// -----

// expected-error@below {{there is no strategy 'composite'; there are: attention, contract, map, recurrent, row, scan}}
builtin.module attributes {schedule = #loop.schedule<strategy = "composite", target = "cpu">} {}

// -----

// expected-error@below {{schedule key target is missing; it is "gpu" or "cpu"}}
builtin.module attributes {schedule = #loop.schedule<strategy = "map", threads = 64>} {}

// -----

// expected-error@below {{schedule key target is "tpu", should be "gpu" or "cpu"}}
builtin.module attributes {schedule = #loop.schedule<strategy = "map", target = "tpu">} {}

// -----

// expected-error@below {{schedule key threads is unknown; map on a CPU has cores}}
builtin.module attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", threads = 64>} {}

// -----

// expected-error@below {{schedule key stagse is unknown; contract on a GPU has tile, warps, instruction, stages, split, order}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", stagse = 4>} {}

// -----

// expected-error@below {{schedule key threads is missing; it is an integer from 1 to 1048576}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", vector = 4>} {}

// -----

// expected-error@below {{schedule key vector should be an integer from 1 to 16, is true}}
builtin.module attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 64, vector = true>} {}

// -----

// expected-error@below {{schedule key tile should be 2 integers from 1 to 1048576, is [6, 0]}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [6, 0], lanes = 8>} {}

// -----

// expected-error@below {{tile columns 12 are no multiple of the 8 lanes}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "cpu", tile = [6, 12], lanes = 8>} {}

// -----

// expected-error@below {{threads = 12 for each of 4 teams of a block do not fit warps of 32; take powers of two, or multiples of 32}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 12, rows = 4>} {}

// -----

// expected-error@below {{threads = 1000 for each of 1 team of a block make 1000, no multiple of the 32 threads of a warp}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 1000>} {}

// -----

// expected-error@below {{exchange = true with split = 3: parts of a sum meet in a cluster, of 2 or 4 or 8 blocks; take such a split, or leave exchange out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, exchange = true, split = 3>} {}

// -----

// expected-error@below {{"wgmma.m64nNk8" with one of 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 192, 224, 240, 256 for N, is "wgmma.m64nNk16"}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [4, 1], instruction = "wgmma.m64nNk16">} {}

// -----

// expected-error@below {{rows = 72 are no multiple of 16 for each of 4 warps}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 72, step = 64, warps = 4>} {}

// -----

// expected-error@below {{step = 40 are no multiple of 16}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 64, step = 40, warps = 4>} {}

// -----

// expected-error@below {{step = 48 are no multiple of 16 for each of 2 teams}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 16, step = 48, warps = 1, split = 4, teams = 2>} {}

// -----

// expected-error@below {{teams = 2 are of mma.m16n8k16, and meet where parts of the keys do; give a split above 1, or leave teams out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 16, step = 64, warps = 1, teams = 2>} {}

// -----

// expected-error@below {{exchange = true with split = 3: parts of the keys meet in a cluster, of 2 or 4 or 8 blocks; take such a split, or leave exchange out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 16, step = 64, warps = 1, exchange = true, split = 3>} {}

// -----

// expected-error@below {{producers = 4 are for wgmma.m64k16, without split and exchange}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 64, step = 64, warps = 4, producers = 4>} {}

// -----

// expected-error@below {{blocks = 132 walk over tiles so that producers bring the next one; say how many producers there are, or leave blocks out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 64, step = 64, warps = 4, instruction = "wgmma.m64k16", blocks = 132>} {}

// -----

// expected-error@below {{producers = 1 should be a multiple of 4: warps that do not fill the last four have no fewer registers}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 64, step = 64, warps = 4, instruction = "wgmma.m64k16", producers = 1>} {}

// -----

// expected-error@below {{producer_registers = 40: 4 warps together give registers away, 8 multiply and 0 bring; make both multiples of 4 (warps, producers), or leave producer_registers out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 128, step = 64, warps = 8, instruction = "wgmma.m64k16", producer_registers = 40>} {}

// -----

// expected-error@below {{producer_registers = 20 leaves}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 128, step = 64, warps = 8, instruction = "wgmma.m64k16", producers = 4, producer_registers = 20>} {}

// -----

// expected-error@below {{schedule key order should be "products", or "last<N>" with a number N from 1, is "last<0>"}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 64, step = 64, warps = 4, order = "last<0>">} {}

// -----

// expected-error@below {{schedule key instruction should be "mma.m16n8k16" or "wgmma.m64k16", is "mma.m16n8k8"}}
builtin.module attributes {schedule = #loop.schedule<strategy = "attention", target = "gpu", rows = 64, step = 64, warps = 4, instruction = "mma.m16n8k8">} {}

// -----

// expected-error@below {{vector = 4 rows of a thread do not divide rows = 6}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 6, vector = 4, lanes = "across">} {}

// -----

// expected-error@below {{held = true does not go with lanes = "across": a team holds whole rows of lanes along them; leave one of the two out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 8, lanes = "across", held = true>} {}

// -----

// expected-error@below {{turns = 4 of a team are for rows that come as one run, each team with as many; set packed = true, and rows to a multiple of turns}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 8, turns = 4>} {}

// -----

// expected-error@below {{turns = 3 of a team are for rows that come as one run, each team with as many; set packed = true, and rows to a multiple of turns}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 8, packed = true, turns = 3>} {}

// -----

// expected-error@below {{packed = true is for rows of a block alone that come and go through shared memory; set lanes = "along", held = false, cluster = 1, split = 1}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, rows = 8, packed = true, held = true>} {}

// -----

// expected-error@below {{columns = 2 do not go with tile = [32, 32]: windows are read without tiles; leave one of the two out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "map", target = "gpu", threads = 64, columns = 2, tile = [32, 32]>} {}

// -----

// expected-error@below {{schedule key lanes should be "along" or "across", is "aside"}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 8, lanes = "aside">} {}

// -----

// expected-error@below {{schedule key cluster should be 1 or 2 or 4 or 8, is 3}}
builtin.module attributes {schedule = #loop.schedule<strategy = "row", target = "gpu", threads = 32, cluster = 3>} {}

// -----

// expected-error@below {{loop.schedule names cores twice}}
builtin.module attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", cores = true, cores = false>} {}

// -----

// expected-error@below {{expected a number, a string, true, false or a list of these}}
builtin.module attributes {schedule = #loop.schedule<strategy = "map", target = "cpu", cores = maybe>} {}

// -----

// expected-error@below {{blocks = 132 walk over tiles so that producers bring the next one; say how many producers there are, or leave blocks out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, blocks = 132>} {}

// -----

// expected-error@below {{blocks = 132 do not go with split = 2: a block walks over whole tiles; leave one of the two out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, blocks = 132, producers = 4, split = 2>} {}

// -----

// expected-error@below {{producer_registers = 40: 4 warps together give registers away, 4 multiply and 2 bring; make both multiples of 4 (warps, producers), or leave producer_registers out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, producers = 2, producer_registers = 40>} {}

// -----

// expected-error@below {{producer_registers = 40: 4 warps together give registers away, 4 multiply and 0 bring; make both multiples of 4 (warps, producers), or leave producer_registers out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, producer_registers = 40>} {}

// -----

// expected-error@below {{producer_registers = 20 leaves 248 to threads that multiply; both are multiples of 8 from 24 to 256}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, producers = 4, producer_registers = 20>} {}

// -----

// expected-error@below {{schedule key producers should be an integer from 0 to 16, is 17}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, producers = 17>} {}

// -----

// expected-error@below {{schedule key producer_registers should be an integer from 0 to 256, is 300}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, producers = 4, producer_registers = 300>} {}

// -----

// expected-error@below {{turns = 2 are taken in the tiles that a block walks over; say how many blocks there are, or leave turns out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [128, 128, 64], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3, producers = 4, turns = 2>} {}

// -----

// expected-error@below {{a warpgroup's 96 x 64 x 64 does not divide into 64 x 64 x 16; take other sizes of tile or warps}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [96, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16">} {}

// -----

// expected-error@below {{row_blocks = 3: a cluster has 2 or 4 or 8 blocks}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3, row_blocks = 3>} {}

// -----

// expected-error@below {{row_blocks = 2: each block of a cluster makes one whole tile of the same rows; leave split out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3, row_blocks = 2, split = 2>} {}

// -----

// expected-error@below {{row_blocks = 2: each block of a cluster makes one whole tile of the same rows; leave blocks out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3, row_blocks = 2, blocks = 8, producers = 4>} {}

// -----

// expected-error@below {{row_blocks = 2: each block of a cluster makes one whole tile of the same rows; leave groups out}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 128, 64], warps = [4, 1], instruction = "mma.m16n8k16", stages = 3, row_blocks = 2, groups = 2>} {}

// -----

// expected-error@below {{row_blocks = 2: blocks of a cluster are neighbours; order = "row"}}
builtin.module attributes {schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3, row_blocks = 2, order = "grouped<4>">} {}

// -----

// expected-error@below {{a record names strategy twice}}
builtin.module attributes {schedule = #loop.schedule<strategy = "stitched", target = "gpu", threads = 128, blocks = 1, carry = ["block"], stages = [{strategy = "map", strategy = "row"}]>} {}
