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
    .library(name: "POIKitFoundation", targets: ["POIKitFoundation"]),
    .library(name: "POIReport", targets: ["POIReport"]),
    .library(name: "POISync", targets: ["POISync"]),
    .library(name: "ModelInference", targets: ["ModelInference"]),
    .executable(name: "poi-import", targets: ["poi-import"]),
    .executable(name: "poi-dedup", targets: ["poi-dedup"]),
    .executable(name: "poi-export", targets: ["poi-export"]),
    .executable(name: "poi-sync", targets: ["poi-sync"]),
  ],
  targets: [
    .systemLibrary(
      name: "CPOISQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPOIYajl", providers: [.apt(["libyajl-dev"])]),
    .target(name: "POIPlatform"),
    .target(name: "JSONStreaming", dependencies: ["CPOIYajl", "POIPlatform"]),
    .target(name: "POISQLite", dependencies: ["CPOISQLite", "POIPlatform"]),
    .target(name: "POIRecords", dependencies: ["JSONStreaming", "POIPlatform"]),
    .target(name: "POIFiles", dependencies: ["JSONStreaming", "POIPlatform"]),
    .target(
      name: "POIKit",
      dependencies: [
        "JSONStreaming", "POIFiles", "POIPlatform", "POIRecords", "POISQLite", "SyncRules",
      ]),
    .target(name: "SyncRules"),
    .target(
      name: "POIReport",
      dependencies: ["JSONStreaming", "POIKit", "POIPlatform", "POIRecords", "POISQLite"]),
    .target(
      name: "POISync",
      dependencies: [
        "JSONStreaming", "POIFiles", "POIKit", "POIPlatform", "POIRecords", "POISQLite",
      ]),
    .target(name: "POIKitAsync", dependencies: ["JSONStreaming", "POIKit", "POISync"]),
    .target(
      name: "POIKitFoundation", dependencies: ["JSONStreaming", "POIFiles", "POIKit", "POIRecords"]),
    .target(
      name: "ModelInference", dependencies: ["JSONStreaming", "POIFiles", "POIKit", "POIRecords"]),
    .target(
      name: "POIToolSupport",
      dependencies: ["JSONStreaming", "POIFiles", "POIKit", "POIPlatform", "POISQLite"]),
    .executableTarget(
      name: "poi-import",
      dependencies: [
        "JSONStreaming", "ModelInference", "POIFiles", "POIKit", "POIPlatform", "POIReport",
        "POISQLite", "POIToolSupport",
      ],
      linkerSettings: toolLinkerSettings),
    .executableTarget(
      name: "poi-dedup",
      dependencies: ["POIKit", "POIPlatform", "POIReport", "POISQLite", "POIToolSupport"],
      linkerSettings: toolLinkerSettings),
    .executableTarget(
      name: "poi-export",
      dependencies: [
        "JSONStreaming", "POIFiles", "POIKit", "POIPlatform", "POIReport", "POISQLite",
        "POIToolSupport",
      ],
      linkerSettings: toolLinkerSettings),
    .executableTarget(
      name: "poi-sync",
      dependencies: [
        "JSONStreaming", "POIFiles", "POIKit", "POIPlatform", "POIRecords", "POISQLite", "POISync",
        "POIToolSupport",
      ],
      linkerSettings: toolLinkerSettings),
    .executableTarget(
      name: "library-example", dependencies: ["POIKit"], path: "Samples/library-example"),
    .executableTarget(
      name: "places-app", dependencies: ["POIKitAsync"], path: "Samples/places-app"),
    .executableTarget(
      name: "edits-app", dependencies: ["POIKitAsync"], path: "Samples/edits-app"),
    .executableTarget(
      name: "sync-app", dependencies: ["POIKitAsync", "POISync"], path: "Samples/sync-app"),
    .executableTarget(
      name: "kinto-sync", dependencies: ["POIKit", "POISync"], path: "Samples/kinto-sync"),

    .target(name: "POITestSupport", dependencies: ["JSONStreaming"], path: "Tests/POITestSupport"),
    .target(
      name: "POIFuzzTargets",
      dependencies: ["ModelInference", "POIKit", "JSONStreaming", "POISQLite", "POITestSupport"],
      path: "Tests/POIFuzzTargets"),
    .target(name: "StoreFaults", dependencies: ["CPOISQLite"], path: "Tests/StoreFaults"),
    .testTarget(name: "JSONStreamingTests", dependencies: ["JSONStreaming", "POITestSupport"]),
    .testTarget(name: "POISQLiteTests", dependencies: ["POISQLite", "POITestSupport"]),
    .testTarget(
      name: "POIFilesTests", dependencies: ["JSONStreaming", "POIFiles", "POITestSupport"]),
    // Records are also tested as an import decodes and checks them.
    .testTarget(
      name: "POIRecordsTests",
      dependencies: [
        "JSONStreaming", "POIKit", "POIKitTestSupport", "POIRecords", "POISQLite", "POITestSupport",
      ]),
    // A test target without tests, so that no release build meets its `@testable import`.
    .testTarget(
      name: "POIKitTestSupport",
      dependencies: ["POIFiles", "POIKit", "POIRecords", "POISQLite", "POITestSupport"]),
    .testTarget(
      name: "POIKitTests",
      dependencies: [
        "JSONStreaming", "POIKit", "POIKitTestSupport", "POIRecords", "POISQLite", "POITestSupport",
      ]),
    .testTarget(
      name: "POIKitFoundationTests", dependencies: ["POIKit", "POIKitFoundation", "POITestSupport"]),
    .testTarget(
      name: "POIKitInTests",
      dependencies: [
        "POIFiles", "POIKit", "POIKitTestSupport", "POIRecords", "POISQLite", "POITestSupport",
      ]),
    .testTarget(
      name: "POIKitDedupTests",
      dependencies: [
        "POIFiles", "POIKit", "POIKitTestSupport", "POIRecords", "POISQLite", "POITestSupport",
      ]),
    .testTarget(
      name: "POIKitOutTests",
      dependencies: [
        "JSONStreaming", "POIKit", "POIKitTestSupport", "POIRecords", "POISQLite", "POITestSupport",
      ]),
    .testTarget(
      name: "POIReportTests",
      dependencies: [
        "POIKit", "POIKitTestSupport", "POIRecords", "POIReport", "POISQLite", "POITestSupport",
      ]),
    .testTarget(
      name: "ModelInferenceTests",
      dependencies: [
        "JSONStreaming", "ModelInference", "POIFiles", "POIKit", "POIKitTestSupport", "POIRecords",
        "POISQLite", "POITestSupport",
      ]),
    // The explorer visits millions of states.
    .testTarget(
      name: "SyncRulesTests", dependencies: ["SyncRules"],
      swiftSettings: [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .testTarget(
      name: "POISyncTests",
      dependencies: [
        "JSONStreaming", "POIKit", "POIRecords", "POISQLite", "POISync", "POITestSupport",
        "kinto-sync",
      ]),
    .testTarget(
      name: "POIKitAsyncTests", dependencies: ["POIKitAsync", "POISync", "POITestSupport"]),
    .testTarget(
      name: "POIFuzzTargetsTests", dependencies: ["POIFuzzTargets", "POITestSupport"]),
    .testTarget(
      name: "FaultTests",
      dependencies: [
        "POIKit", "POISQLite", "StoreFaults", "POITestSupport", "poi-import", "poi-dedup",
        "poi-export", "poi-sync",
      ]),
    .testTarget(name: "POIToolSupportTests", dependencies: ["POIToolSupport", "POITestSupport"]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "POIKit", "POISQLite", "POITestSupport", "poi-import", "poi-dedup", "poi-export",
        "poi-sync",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// The fuzzers are a package of their own, Tests/Fuzz, whose script sets the variable.
if Context.environment["POI_FUZZ"] != nil {
  package.products.append(.library(name: "POIFuzzTargets", targets: ["POIFuzzTargets"]))
}

// Every target of our own is built with the same settings.
for target in package.targets where target.type != .system {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .strictMemorySafety(),
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .enableExperimentalFeature("Lifetimes"),
    ]
}
