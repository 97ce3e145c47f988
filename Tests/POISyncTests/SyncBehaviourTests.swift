import Glibc
import JSONStreaming
import POIKit
import POIRecords
import POISQLite
import POISync
import POITestSupport
import Testing

/// Random behaviours of devices, apps, a server and a network: in the end all agree.
@Suite struct SyncBehaviourTests {
  /// The number of behaviours, which `BEHAVIOURS` in the environment changes.
  ///
  /// - Parameter share: how many of those in memory are tried with this server.
  static func count(_ short: Int, share: Double = 1) -> UInt64 {
    let all = unsafe getenv("BEHAVIOURS").flatMap { unsafe Double(String(cString: $0)) }
    return UInt64(all.map { $0 * share } ?? Double(short))
  }

  /// A statement of an app; some fail.
  static func statement(
    at moment: Int, using generator: inout SplitMix64
  ) -> SQL {
    func pick<Choice>(_ choices: Choice...) -> Choice {
      choices.randomElement(using: &generator)!
    }
    func key() -> SQL { pick("'p'", "'q'", "'r'") }
    let name: SQL = "'\(moment)'"
    // Clocks may be behind or ahead.
    let now: SQL = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000"
    let time: SQL = pick("NULL", "NULL", "\(now) - 500000", "\(now) + 500000")
    let id = key()
    return pick(
      "INSERT OR IGNORE INTO poi(id, name, changed) VALUES (\(id), \(name), \(time))",
      "UPDATE poi SET name = \(name) WHERE id = \(id)",
      "UPDATE poi SET name = \(name), changed = \(time) WHERE id = \(id)",
      "UPDATE poi SET tag = coalesce(tag, 0) + 1 WHERE id = \(id)",
      "DELETE FROM poi WHERE id = \(id)", "DELETE FROM poi",
      "INSERT OR REPLACE INTO poi(id, name, changed) VALUES (\(id), \(name), \(time))",
      """
      INSERT INTO poi(id, name) VALUES (\(id), \(name)) ON CONFLICT(id) DO UPDATE SET name = excluded.name
      """, "UPDATE OR REPLACE poi SET id = \(key()) WHERE id = \(id)",
      "UPDATE poi SET fav = 1",
      "BEGIN; DELETE FROM poi WHERE id = \(id); INSERT INTO poi(id, name) VALUES (\(id), \(name)); COMMIT"
    )
  }

  /// Runs a behaviour.
  ///
  /// - Parameter flush: lets the server lose its records; nil if it does not.
  /// - Returns: the number of undisturbed cycles until all agree; 0 if they do not.
  static func run(seed: UInt64, over server: some SyncServer, flush: (() throws -> Void)?) throws
    -> Int
  {
    var generator = SplitMix64(seed: seed)
    let folder = try ScratchFolder()
    let link = Link(to: server)
    var devices: [SyncDevice] = []
    for number in 0..<Int.random(in: 2...3, using: &generator) {
      devices.append(
        try SyncDevice(
          folder.file("\(number).sqlite"), link,
          isTracked: Int.random(in: 0..<4, using: &generator) > 0))
    }
    var (moment, faultsLeft) = (0, 3)
    func write(_ device: SyncDevice) {
      moment += 1
      try? device.app.execute(statement(at: moment, using: &generator))
      if device.app.isInTransaction { try? device.app.execute("ROLLBACK") }
    }
    // Whether another device has a cycle within one.
    var isInside = false
    func cycle(_ device: SyncDevice) {
      do { try device.cycle() } catch let error as SyncError where error.code == .unreachable {
      } catch {
        Issue.record(error, "seed \(seed)")
      }
    }
    for _ in 0..<devices.count * 6 {
      let device = devices.randomElement(using: &generator)!
      if Int.random(in: 0..<10, using: &generator) < 6 {
        write(device)
      } else {
        link.fault = {
          guard faultsLeft > 0, Int.random(in: 0..<10, using: &generator) < 3 else { return nil }
          faultsLeft -= 1
          return Bool.random(using: &generator) ? .request : .answer
        }
        let other = devices.randomElement(using: &generator)!
        link.meanwhile = {
          switch Int.random(in: 0..<10, using: &generator) {
          case 0..<3: write(device)
          case 3 where other !== device && !isInside:
            isInside = true
            cycle(other)
            isInside = false
          default: break
          }
        }
        cycle(device)
      }
      if seed % 5 == 0, Int.random(in: 0..<30, using: &generator) == 0 { try flush?() }
    }
    (link.fault, link.meanwhile) = ({ nil }, {})
    for round in 1...4 {
      for device in devices { try device.cycle() }
      let expected = try link.live()
      let isQuiet = try devices.allSatisfy { try $0.records() == expected && $0.localCount() == 0 }
      if isQuiet { return round }
    }
    let states = try devices.map { "\(try $0.localCount()) \(try $0.records())" }
    Issue.record(
      "seed \(seed): not equal\n\(states.joined(separator: "\n"))\n\(try link.live())")
    return 0
  }

  @Test func `devices and server agree after random behaviours`() throws {
    var rounds: [Int: Int] = [:]
    let first = UInt64.random(in: 0..<1 << 32)
    for seed in first..<first + Self.count(20) {
      let server = MemoryServer()
      server.hasTextVersions = seed % 2 == 0
      rounds[try Self.run(seed: seed, over: server, flush: server.flush), default: 0] += 1
    }
    print("seeds from \(first); cycles until quiet: \(rounds)")
    #expect(rounds.keys.allSatisfy { 1...2 ~= $0 })
  }

  @Test func `they agree over HTTP, too`() throws {
    let first = UInt64.random(in: 0..<1 << 32)
    print("seeds from \(first)")
    for seed in first..<first + Self.count(2, share: 0.05) {
      let folder = try ScratchFolder()
      let database = folder.file("server.sqlite")
      let server = try PythonServer.reference(database: database, key: "id", in: folder.path)
      let rounds = try Self.run(seed: seed, over: HTTPServer(address: server.address)) {
        let connection = try Connection(path: database, access: .readWrite)
        try connection.execute("DELETE FROM record; UPDATE epoch SET name = name || '+'")
      }
      #expect(1...2 ~= rounds)
    }
  }
}
