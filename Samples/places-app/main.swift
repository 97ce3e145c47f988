// What an app does: it imports places in the background and shows the progress, keeps one record of
// each place, and shows the newest places of a city. If it is left in the middle of the import, it
// continues there. `poi-import --print-swift` wrote the struct.
//
//     swift run places-app Samples/pois.json places.sqlite Kraków

import Glibc
import POIKitAsync

/// A record of the table `poi`; `store.rows(as: Poi.self)` returns them.
struct Poi: Codable, Sendable {
  var identifier: String
  var name: String
  var address: String?
  var city: String?
  var country: String?
  var information: String?
  var latitude: Double
  var longitude: Double
  var updatedAt: Instant?
  var category: Category?

  struct Category: Codable, Sendable {
    var name: String
  }
}

guard CommandLine.arguments.count == 4 else {
  print("usage: places-app FILE STORE CITY")
  exit(64)
}
let (file, path, city) = (
  CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3]
)

/// Imports the file and shows the progress.
///
/// - Parameter end: the part of the file after which the user leaves the app, from 0 to 1.
func importPlaces(into store: Store, resumes: Bool, until end: Double) async throws -> ImportReport
{
  var options = ImportOptions()
  options.batchSize = 500
  options.isResuming = resumes
  let (updates, progress) = AsyncStream.makeStream(of: StoreProgress.self)
  let task = Task { [options] in
    try await store.importRecords(
      from: .file(file), options: options, progress: progress)
  }
  for await update in updates {
    let fraction = update.fraction ?? 0
    print("\(Int(fraction * 100)) %, \(update.counters.read) records")
    if fraction >= end { task.cancel() }
  }
  return try await task.value
}

func run() async throws {
  let store = try Store(path)
  var report = try await importPlaces(into: store, resumes: false, until: 0.3)
  if report.ending == .stopped {
    print("stopped after \(report.counters.read) records; continuing")
    report = try await importPlaces(into: store, resumes: true, until: 1.1)
  }
  print("\(report.counters.inserted) places, \(report.counters.rejected) rejects")

  let result = try await store.deduplicate(by: ["identifier"])
  print("\(result.changes.removedRowCount) duplicates removed")

  let newest = try await store.rows(
    as: Poi.self, where: [.equal("city", city)], orderedBy: [.descending("updatedAt")], limit: 10)
  for place in newest { print("\(place.name), changed \(place.updatedAt?.description ?? "never")") }
}

do {
  try await run()
} catch {
  print("error: \(error)")
  exit(1)
}
