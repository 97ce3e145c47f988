// What an app does that shares its records with a server: it takes over what changed there, lets the user edit
// offline, and sends the edit. It ends when the server has it.
//
//     python3 Samples/sync/server.py address server.sqlite id &
//     swift run sync-app "$(cat address)" app.sqlite

import Foundation
import POIKitAsync
import POISync

/// The part of a playground that this app edits. What it does not name stays as it is.
struct Playground: Codable {
  var id: Int
  var name: String
  var swings: Int?
}

guard CommandLine.arguments.count == 3 else {
  print("usage: sync-app ADDRESS STORE")
  exit(64)
}
let (address, path) = (CommandLine.arguments[1], CommandLine.arguments[2])

func run() async throws {
  let store = try Store(path)
  let model = try Model(contentsOf: "Samples/models/updates.json")
  // A real app passes HTTPClient(headers: ["Authorization: Bearer …"]).
  var synchronizer = try Synchronizer(
    store, model: model, server: HTTPServer(address: address), address: address)

  let (reports, progress) = AsyncStream.makeStream(of: SyncReport.self)
  let screen = Task {
    for await report in reports { print("\(report.pulled.insertedCount) playgrounds have come") }
  }
  try await synchronizer.cycle(progress: progress)
  await screen.value

  // The user edits offline.
  guard var park = try await store.rows(as: Playground.self, orderedBy: [.ascending("id")]).first
  else {
    return print("the server has no playground")
  }
  park.swings = (park.swings ?? 0) + 1
  try store.upsert(park)

  do {
    let second = try await synchronizer.cycle()
    print("\(second.pushed.acceptedCount) sent: \(park.name) has \(park.swings ?? 0) swings")
  } catch let error as SyncError where error.code == .unreachable {
    // Nothing is lost: the next cycle sends it.
    print("offline: \(error.message)")
  }
}

do {
  try await run()
} catch {
  print("error: \(error)")
  exit(1)
}
