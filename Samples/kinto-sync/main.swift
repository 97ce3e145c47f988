// Synchronises a table with a collection of Kinto, by a server that a program brings along.
//
//     swift run kinto-sync https://example.org/v1/buckets/app/collections/notes Samples/models/notes.json notes.sqlite

import Foundation
import POIKit
import POISync

let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
  print("usage: kinto-sync ADDRESS-OF-COLLECTION MODEL STORE [HEADER...]")
  exit(64)
}

func run() throws {
  let model = try Model(parsing: String(contentsOfFile: arguments[2], encoding: .utf8))
  // Other users of the machine see headers of a command line; an app has a better place for its password.
  let client = try HTTPClient(headers: Array(arguments.dropFirst(4)))
  let server = try KintoServer(
    arguments[1], key: model.key, timestamp: model.timestamp ?? "", client: client)
  var synchronizer = try Synchronizer(
    Store(arguments[3]), model: model, server: server, address: arguments[1])
  let report = try synchronizer.cycle()
  let (pulled, pushed) = (report.pulled, report.pushed)
  print("from the server: \(pulled.insertedCount) inserted, \(pulled.updatedCount) updated,")
  print("  \(pulled.removedCount) removed, \(pulled.rejectedCount) rejected")
  print("to the server: \(pushed.acceptedCount) sent, \(pushed.refusedCount) refused")
}

do {
  try run()
} catch {
  print("error: \((error as? SyncError)?.message ?? (error as? StoreError)?.message ?? "\(error)")")
  exit(1)
}
