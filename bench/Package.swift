// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The floor and the phases are linked as the tools are.
let linkerFolders =
  ["libstdc++"]
  + [("sqlite3", "libsqlite3.a"), ("yajl", "libyajl_s.a")].compactMap { library, archive in
    ["x86_64-linux-gnu", "aarch64-linux-gnu"].contains {
      FileManager.default.fileExists(atPath: "/usr/lib/\($0)/\(archive)")
    } ? library : nil
  }

let toolLinkerSettings: [LinkerSetting] = [
  .unsafeFlags(
    linkerFolders.flatMap { ["-L", Context.packageDirectory + "/../scripts/linker/" + $0] }
      + ["-Xclang-linker", "-static-libgcc", "-Xlinker", "--no-export-dynamic"],
    .when(platforms: [.linux], configuration: .release))
]

let package = Package(
  name: "poi-bench",
  products: [
    .executable(name: "generate-poi", targets: ["generate-poi"]),
    .executable(name: "floor", targets: ["floor"]),
    .executable(name: "decode-peer", targets: ["decode-peer"]),
    .executable(name: "phases", targets: ["phases"]),
    // Preloaded into the contestants.
    .library(name: "sync-delay", type: .dynamic, targets: ["sync-delay"]),
  ],
  dependencies: [.package(name: "poi-toolkit", path: "..")],
  targets: [
    .executableTarget(name: "generate-poi"),
    .executableTarget(
      name: "floor",
      cSettings: [.unsafeFlags(["-O3", "-Wall", "-Wextra"])],
      linkerSettings: [.linkedLibrary("yajl"), .linkedLibrary("sqlite3")] + toolLinkerSettings),
    .target(name: "sync-delay"),
    .systemLibrary(name: "PeerSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .executableTarget(name: "decode-peer", dependencies: ["PeerSQLite"]),
    .executableTarget(
      name: "phases", dependencies: [.product(name: "POIKit", package: "poi-toolkit")],
      linkerSettings: toolLinkerSettings),
  ],
  swiftLanguageModes: [.v6]
)

// The settings of the measured package.
for target in package.targets
where target.type != .system && !["floor", "sync-delay"].contains(target.name) {
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
