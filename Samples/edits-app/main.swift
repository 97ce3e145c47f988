// What an app does that changes what it got: it imports places, edits, adds and deletes some, prints each
// change, hands the changes out and takes a server's answer. A second import then keeps the edits.
//
//     swift run edits-app Samples/pois.json places.sqlite

import Foundation
import POIKitAsync

/// The part of a place that this app edits. What it does not name stays as it is.
struct Place: Codable {
  var identifier: String
  var name: String
  var city: String?
}

guard CommandLine.arguments.count == 3 else {
  print("usage: edits-app FILE STORE")
  exit(64)
}
let (file, path) = (CommandLine.arguments[1], CommandLine.arguments[2])

/// A line of the changes that are handed out, and of the answer. A server would also keep the record.
struct Change: Codable {
  struct Key: Codable { var identifier: String }
  var edition: Int
  var record: Key?
  var removed: Key?
  var key: Key?
}

/// Says that all changes have come.
func answer(to lines: [UInt8]) throws -> [UInt8] {
  var answer = Data()
  for line in lines.split(separator: UInt8(ascii: "\n")) {
    let change = try JSONDecoder().decode(Change.self, from: Data(line))
    let taken = Change(edition: change.edition, key: change.record ?? change.removed)
    answer += try JSONEncoder().encode(taken) + [UInt8(ascii: "\n")]
  }
  return [UInt8](answer)
}

func run() async throws {
  let store = try Store(path)
  var options = ImportOptions()
  options.mergePolicy = .newest
  try await store.importRecords(from: .file(file), options: options)
  // From now on the store remembers what the app changes.
  try store.track()

  // The screen follows the store, whoever changes it.
  let start = try store.changes().position
  let screen = Task {
    var count = 0
    for try await changes in store.changeStream(since: start) {
      for change in changes.local {
        print("\(change.isRemoved ? "removed" : "changed"), edition \(change.edition)")
      }
      count += changes.local.count
      if count == 3 { return }
    }
  }

  var places = try await store.rows(
    as: Place.self, where: [.equal("city", "Berlin")], orderedBy: [.ascending("identifier")],
    limit: 2)
  places[0].name += " (my favourite)"
  try store.edit { records in
    try records.upsert(places[0])
    try records.remove(key: places[1].identifier)
    try records.insert([
      "identifier": RowValue.text("00000000-0000-4000-8000-000000000001"),
      "name": .text("At home"), "latitude": .real(52.5), "longitude": .real(13.4),
    ])
  }
  try await screen.value

  // Send the changes, and end those that the server has.
  var lines: [UInt8] = []
  try store.exportUnsent { piece in for index in piece.indices { lines.append(piece[index]) } }
  let report = try store.acknowledge(from: [.bytes(answer(to: lines))])
  print("\(report.endedCount) changes acknowledged")

  // A change that is not acknowledged stays in spite of a delivery.
  places[0].name = "My place"
  try store.upsert(places[0])
  let again = try await store.importRecords(from: .file(file), options: options)
  print("\(again.counters.kept) kept, \(again.counters.inserted) inserted")
  let place = try store.find(key: places[0].identifier)
  print(place?["name"].text ?? "", place?["city"].text ?? "")
}

do {
  try await run()
} catch {
  print("error: \(error)")
  exit(1)
}
