// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "poi-bench",
  products: [
    .executable(name: "generate-poi", targets: ["generate-poi"]),
    .executable(name: "floor", targets: ["floor"]),
  ],
  targets: [
    .executableTarget(name: "generate-poi"),
    .executableTarget(
      name: "floor",
      cSettings: [.unsafeFlags(["-O3", "-Wall", "-Wextra"])],
      linkerSettings: [.linkedLibrary("yajl"), .linkedLibrary("sqlite3")]),
  ],
  swiftLanguageModes: [.v6]
)

// The same settings as in the package that is measured.
for target in package.targets {
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
