// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A released tool with Swift's library in it carries C++'s too, and SQLite and yajl where their
// archives are installed: it starts sooner, and calls of those libraries cost less. Nothing looks for
// symbols in a tool, and a short table of them saves more of the start.
let linkerFolders =
  ["libstdc++"]
  + [("sqlite3", "libsqlite3.a"), ("yajl", "libyajl_s.a")].compactMap { library, archive in
    ["x86_64-linux-gnu", "aarch64-linux-gnu"].contains {
      FileManager.default.fileExists(atPath: "/usr/lib/\($0)/\(archive)")
    } ? library : nil
  }

let toolLinkerSettings: [LinkerSetting] = [
  .unsafeFlags(
    linkerFolders.flatMap { ["-L", Context.packageDirectory + "/scripts/linker/" + $0] }
      + ["-Xclang-linker", "-static-libgcc", "-Xlinker", "--no-export-dynamic"],
    .when(platforms: [.linux], configuration: .release))
]

let package = Package(
  name: "poi-toolkit",
  products: [
    .library(name: "POIKit", targets: ["POIKit"]),
    .library(name: "POIKitAsync", targets: ["POIKitAsync"]),
    .library(name: "ModelInference", targets: ["ModelInference"]),
    .executable(name: "poi-import", targets: ["poi-import"]),
    .executable(name: "poi-dedup", targets: ["poi-dedup"]),
    .executable(name: "poi-export", targets: ["poi-export"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CYajl", providers: [.apt(["libyajl-dev"])]),
    .target(name: "JSONStreaming", dependencies: ["CYajl"]),
    .target(name: "SQLiteKit", dependencies: ["CSQLite"]),
    .target(name: "POIRecords", dependencies: ["JSONStreaming"]),
    .target(name: "POIInputs", dependencies: ["JSONStreaming"]),
    .target(
      name: "POIKit", dependencies: ["JSONStreaming", "POIInputs", "POIRecords", "SQLiteKit"]),
    .target(name: "POIKitAsync", dependencies: ["JSONStreaming", "POIKit"]),
    .target(
      name: "ModelInference", dependencies: ["JSONStreaming", "POIInputs", "POIKit", "POIRecords"]),
    .target(name: "ToolSupport", dependencies: ["POIKit", "SQLiteKit"]),
    .executableTarget(
      name: "poi-import",
      dependencies: [
        "JSONStreaming", "ModelInference", "POIInputs", "POIKit", "SQLiteKit", "ToolSupport",
      ],
      linkerSettings: toolLinkerSettings),
    .executableTarget(
      name: "poi-dedup", dependencies: ["POIKit", "SQLiteKit", "ToolSupport"],
      linkerSettings: toolLinkerSettings),
    .executableTarget(
      name: "poi-export",
      dependencies: ["JSONStreaming", "POIInputs", "POIKit", "SQLiteKit", "ToolSupport"],
      linkerSettings: toolLinkerSettings),
    .executableTarget(
      name: "library-example", dependencies: ["POIKit"], path: "Samples/library-example"),
    .executableTarget(
      name: "places-app", dependencies: ["POIKitAsync"], path: "Samples/places-app"),

    .target(name: "TestSupport", dependencies: ["JSONStreaming"], path: "Tests/TestSupport"),
    .target(
      name: "FuzzTargets",
      dependencies: ["ModelInference", "POIKit", "JSONStreaming", "SQLiteKit", "TestSupport"],
      path: "Tests/FuzzTargets"),
    .target(name: "StoreFaults", dependencies: ["CSQLite"], path: "Tests/StoreFaults"),
    .testTarget(name: "JSONStreamingTests", dependencies: ["JSONStreaming", "TestSupport"]),
    .testTarget(name: "SQLiteKitTests", dependencies: ["SQLiteKit", "TestSupport"]),
    .testTarget(
      name: "POIRecordsTests", dependencies: ["POIRecords", "JSONStreaming", "TestSupport"]),
    .testTarget(
      name: "POIKitTests",
      dependencies: ["ModelInference", "POIKit", "JSONStreaming", "SQLiteKit", "TestSupport"]),
    .testTarget(name: "POIKitAsyncTests", dependencies: ["POIKitAsync", "TestSupport"]),
    .testTarget(
      name: "FuzzTargetsTests", dependencies: ["FuzzTargets", "TestSupport"]),
    .testTarget(
      name: "FaultTests",
      dependencies: [
        "POIKit", "SQLiteKit", "StoreFaults", "TestSupport", "poi-import", "poi-dedup",
        "poi-export",
      ]),
    .testTarget(name: "ToolSupportTests", dependencies: ["ToolSupport", "TestSupport"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "POIKit", "SQLiteKit", "TestSupport", "poi-import", "poi-dedup", "poi-export",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzers are a package of their own, Tests/Fuzz, whose script sets the variable.
if Context.environment["POI_FUZZ"] != nil {
  package.products.append(.library(name: "FuzzTargets", targets: ["FuzzTargets"]))
}

// Every target of our own is built with the same settings.
for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
  ]
}
