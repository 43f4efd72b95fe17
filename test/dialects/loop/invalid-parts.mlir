// RUN: %invalid

// expected-error@below {{each of parts is a buffer, an axis, a start and an end}}
loop.kernel @k(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {outputs = 1 : i64, parts = [array<i64: 1, 1, 0>]} {
  loop.end
}

// -----

// expected-error@below {{WrittenPart(number=0, axis=1, start=0, stop=4) is no part of an output}}
loop.kernel @k(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {outputs = 1 : i64, parts = [array<i64: 0, 1, 0, 4>]} {
  loop.end
}

// -----

// expected-error@below {{WrittenPart(number=1, axis=2, start=0, stop=4) is no part of an output}}
loop.kernel @k(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {outputs = 1 : i64, parts = [array<i64: 1, 2, 0, 4>]} {
  loop.end
}

// -----

// expected-error@below {{WrittenPart(number=1, axis=1, start=4, stop=12) is no part of an output}}
loop.kernel @k(%x: memref<4x8xf32>, %y: memref<4x8xf32>) attributes {outputs = 1 : i64, parts = [array<i64: 1, 1, 4, 12>]} {
  loop.end
}
