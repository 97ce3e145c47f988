// swift-tools-version: 6.2
import PackageDescription

// The fuzzers; `Tests/Fuzz/run` builds them with the flags that they need.
let package = Package(
  name: "poi-fuzz",
  dependencies: [.package(name: "poi-toolkit", path: "../..")],
  targets: [
    .target(name: "LibFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: ["LibFuzzer", .product(name: "POIFuzzTargets", package: "poi-toolkit")],
      swiftSettings: [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
