// RUN: dlc-opt --allow-unregistered-dialect %s | filecheck %s

// CHECK: "other.op"() : () -> i32
%0 = "other.op"() : () -> i32
