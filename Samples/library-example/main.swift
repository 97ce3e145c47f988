// Imports points of interest into a store in memory, in both ways that programs import: bytes that
// the program holds, pushed piece by piece, and a source that the importer reads. Then it
// deduplicates them, reads what the store holds, and saves it as a file.
//
//     swift run library-example Samples/pois.json shipped.sqlite

import Glibc
import POIKit
import SQLiteKit

/// A check of the program: a place at 0° 0° has an unknown position.
struct KnownPosition: RecordValidator {
  func issues(in record: borrowing RecordView) -> [Issue] {
    guard record.real("latitude") == 0, record.real("longitude") == 0 else { return [] }
    let name = record.text("name") ?? "a place"
    return [
      Issue(rule: "known-position", attribute: nil, message: "\(name) has no position but 0° 0°")
    ]
  }
}

guard CommandLine.arguments.count == 3 else {
  print("usage: library-example FILE STORE")
  exit(64)
}

do {
  var options = ImportOptions()
  options.batchSize = 1000
  let store = try Store.inMemory()
  var session = try ImportSession(
    into: store, model: .poi, options: options, validators: [KnownPosition()]
  ) { progress in
    print("\(progress.inputName): \(progress.counters.read) records committed")
    // Returning .stop would end the import at this batch boundary.
    return .proceed
  }

  // Bytes that the program receives, such as a response, in pieces as they arrive.
  let response =
    #"{"status":"ok","pois":[{"identifier":"1975DB51-5A45-4FD6-AC54-46CA6042C710","#
    + #""name":"Dom","latitude":52.0907,"longitude":5.1214,"updatedAt":"2026-01-01T00:00:00Z"},"#
    + #"{"identifier":"2975DB51-5A45-4FD6-AC54-46CA6042C710","name":"Nowhere","latitude":0,"#
    + #""longitude":0}]}"#
  let bytes = Array(response.utf8)
  try session.beginInput(named: "response")
  for start in stride(from: 0, to: bytes.count, by: 100) {
    try session.append(bytes[start..<min(start + 100, bytes.count)].span)
  }
  // If they broke off, session.stop() would keep the received records for a session that resumes.
  try session.endInput()

  // A source that the importer reads.
  var source = try FileSource(path: CommandLine.arguments[1])
  try session.importAll(from: &source)

  let report = try session.finish()
  print("read \(report.counters.read), inserted \(report.counters.inserted)")
  for (rule, count) in report.rejectsByRule { print("rejected for \(rule): \(count)") }

  // The import has ended, so the store is free for the next operation.
  let deduplicator = Deduplicator(layout: try store.layout(key: ["identifier"]))
  let result = try store.deduplicate(deduplicator)
  print("\(result.plan.loserCount) losers, \(result.rowsLeft) rows left")
  if let digest = result.digest { print("digest \(digest)") }

  // The program reads rows and rejects with its own statements.
  try store.withConnection { connection in
    var cities = try connection.prepare(
      "SELECT city, count(*) FROM poi WHERE city IS NOT NULL GROUP BY city ORDER BY 2 DESC LIMIT 3")
    while try cities.step() { print("\(cities.text(0)): \(cities.integer(1)) places") }
    var rejects = try connection.prepare(
      "SELECT input, record, rule FROM poikit_reject ORDER BY id LIMIT 3")
    while try rejects.step() {
      print("\(rejects.text(0)), record \(rejects.integer(1)): \(rejects.text(2))")
    }
  }
  try store.save(to: CommandLine.arguments[2])
} catch {
  print("error: \(error)")
  exit(1)
}
