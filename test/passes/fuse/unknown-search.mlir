// RUN: not dlc-opt %s --fuse=search=random 2>&1 | filecheck %s

// CHECK: no search is called 'random'; known: beam, dp, evolve, greedy
builtin.module {
}
