// Imports places into a store in memory, deduplicates them, reads what the store holds, and saves it
// as a file.
//
//     swift run library-example Samples/pois.json shipped.sqlite

import Glibc
import POIKit

/// A check of the program's own: a place at 0° 0° has no known position.
struct KnownPosition: RecordValidator {
  func issues(in record: borrowing RecordView) -> [Issue] {
    guard record.real("latitude") == 0, record.real("longitude") == 0
    else { return [] }
    let name = record.text("name") ?? "a place"
    return [
      Issue(rule: "known-position", attribute: nil, message: "\(name) has no position but 0° 0°")
    ]
  }
}

/// The part of a place that this program shows.
struct Place: Codable {
  var identifier: String
  var name: String
  var city: String?
  var latitude: Double
  var longitude: Double
  var updatedAt: Instant?
}

guard CommandLine.arguments.count == 3 else {
  print("usage: library-example FILE STORE")
  exit(64)
}

do {
  // Import a file, deduplicate it, and read it.
  let store = try Store.inMemory()
  var options = ImportOptions()
  options.batchSize = 1000
  let report = try store.importRecords(
    from: .file(CommandLine.arguments[1]), options: options,
    validators: [KnownPosition()]
  ) { progress in
    print("\(progress.inputName): \(progress.counters.read) records committed")
    // Returning .stop would end the import at this batch boundary.
    return .proceed
  }
  print("read \(report.counters.read), inserted \(report.counters.inserted)")
  for (rule, count) in report.rejectsByRule { print("rejected for \(rule): \(count)") }
  let result = try store.deduplicate(by: ["identifier"])
  print("\(result.plan.loserCount) losers, \(result.rowsLeft) rows left")
  let newest = try store.rows(
    as: Place.self, where: [.equal("city", "Kraków")],
    orderedBy: [.descending("updatedAt")], limit: 3)
  for place in newest { print("\(place.name), changed \(place.updatedAt?.description ?? "never")") }
  for reject in try store.rejects().prefix(2) {
    print("\(reject.input), record \(reject.record): \(reject.issues[0].message)")
  }

  // Push bytes as they arrive, for example those of a response.
  let response =
    #"{"status":"ok","pois":[{"identifier":"1975DB51-5A45-4FD6-AC54-46CA6042C710","#
    + #""name":"Dom","latitude":52.0907,"longitude":5.1214,"updatedAt":"2026-01-01T00:00:00Z"},"#
    + #"{"identifier":"2975DB51-5A45-4FD6-AC54-46CA6042C710","name":"Nowhere","latitude":0,"#
    + #""longitude":0}]}"#
  let bytes = Array(response.utf8)
  let other = try Store.inMemory()
  var session = try ImportSession(into: other, model: .poi, validators: [KnownPosition()])
  try session.beginInput(named: "response")
  for start in stride(from: 0, to: bytes.count, by: 100) {
    try session.append(bytes[start..<min(start + 100, bytes.count)].span)
  }
  // If they had ended too early, session.stop() would keep the records that came.
  try session.endInput()
  print("\(try session.finish().counters.inserted) record pushed")

  // Merge the program's own values by a policy of its own: a place that moved far is not believed.
  var merging = ImportOptions()
  merging.choosePolicy = { stored, record in
    let distance = (stored.real("latitude") ?? 0) - (record.real("latitude") ?? 0)
    return distance.magnitude > 1 ? .rollback : .objectTrump
  }
  let merged = try Store.inMemory()
  try merged.importRecords(from: .records(newest), options: merging)
  var (renamed, moved) = (newest[0], newest[1])
  renamed.name += " (closed)"
  moved.latitude -= 10
  let second = try merged.importRecords(from: .records([renamed, moved]), options: merging)
  print("\(second.counters.updated) updated, \(second.counters.ignored) ignored")

  try store.save(to: CommandLine.arguments[2])
} catch {
  print("error: \(error)")
  exit(1)
}
