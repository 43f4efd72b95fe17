// RUN: dlc-opt %s --split-input-file --verify-diagnostics

#good = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 16], warps = [2, 2], instruction = "fma", order = "grouped<4>">
builtin.module attributes {schedule = #good} {}

// -----

// expected-error@below {{schedule key order should be "row" or "grouped<8>", of any number of rows, is "groped"}}
#typing_error = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 16], warps = [2, 2], instruction = "fma", order = "groped">

// -----

// expected-error@below {{order should be "row" or "grouped<8>", of any number of rows, is "grouped<0>"}}
#nothing = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 16], warps = [2, 2], instruction = "fma", order = "grouped<0>">

// -----

// expected-error@below {{instruction should be "fma" or }}
#none = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 64, 16], warps = [2, 2], instruction = "imma">
