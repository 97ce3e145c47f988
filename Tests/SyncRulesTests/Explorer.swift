import SyncRules

/// Explores every interleaving of what can happen to one record on some devices and a server: changes at any moment by
/// clocks that are behind or ahead, lost and late messages, crashes, and a server that loses everything.
///
/// The rules are `SyncRules.step`; all else here is the world around them.
struct Explorer {
  /// What is explored.
  struct Bounds {
    var deviceCount: Int
    /// Changes on each device.
    var changeCount: Int
    /// Lost or late messages and crashes.
    var faultCount = 0
    /// How often the server loses its records.
    var flushCount = 0
    /// The clocks of the devices.
    var clocks: [Int8] = [5, 20]
    /// Whether a lost request may still act later.
    var hasLateRequests = true
    /// Whether files deliver records, too.
    var hasFiles = false
  }

  /// A rule that is broken on purpose.
  enum Flaw: CaseIterable {
    case neverAcknowledgedIsNeverSent, ownRemovalHasNoTime, foundRemovalHasNoTime, conflictKeepsBase
    case answerSettlesAll, restartRemovesRecords, restartForgetsRemovals, versionsBeginAgain
    case fileIsSynchronised, newRecordHasClockTime, removalWins
  }

  struct Value: Hashable, Comparable {
    var time: Int8
    var isRemoved: Bool
    var id: Int8

    static func < (left: Value, right: Value) -> Bool { left.known < right.known }

    var known: SyncValue { SyncValue(time: Int64(time), isRemoved: isRemoved, digest: UInt128(id)) }

    init(_ time: Int8, _ isRemoved: Bool, _ id: Int8) {
      (self.time, self.isRemoved, self.id) = (time, isRemoved, id)
    }

    init(_ value: SyncValue) {
      self.init(Int8(value.time ?? 0), value.isRemoved, Int8(value.digest))
    }
  }

  /// `SyncState` in few bytes. Version 0: no version.
  struct Record: Hashable {
    var value: Value?
    var version: UInt8 = 0
    var isLocal = false
    var isEdited = false
    var wasSent = false
  }

  struct Server: Hashable {
    var epoch: UInt8 = 0
    var version: UInt8 = 0
    var value: Value?
  }

  struct Request: Hashable {
    var base: UInt8
    var value: Value
  }

  enum Answer: Hashable {
    case accepted(UInt8)
    case differs(UInt8, Value)
    case unknown
  }

  /// What a device waits for.
  enum Phase: Hashable {
    case idle
    case page(Server)
    case request(Request)
    case answer(Answer)
  }

  struct Device: Hashable {
    var record = Record()
    var phase = Phase.idle
    var changesLeft: Int8
    var epoch: UInt8 = 0
  }

  struct World: Hashable {
    var devices: [Device]
    var server: Server
    var late: [Request] = []
    var faultsLeft: Int8
    var flushesLeft: Int8
    /// The values that devices wrote.
    var written: [Value] = []
    /// One bit for each value that someone changed or removed after seeing it, by id.
    var superseded: UInt16 = 0
  }

  struct Report {
    var stateCount = 0
    var stepCount = 0
    var endCount = 0
    /// What is wrong, with the steps that lead there.
    var failure: (message: String, trace: [String])?
  }

  let bounds: Bounds
  let flaw: Flaw?

  private static let versions = (0..<256).map { $0 == 0 ? nil : "\($0)" }

  init(_ bounds: Bounds, flaw: Flaw? = nil) {
    self.bounds = bounds
    self.flaw = flaw
  }

  // MARK: The rules

  private func step(_ record: Record, _ event: SyncEvent) -> (Record, SyncEffect) {
    var state = SyncState(value: record.value?.known, version: Self.versions[Int(record.version)])
    state.isLocal = record.isLocal
    state.isEdited = record.isEdited
    state.wasSent = record.wasSent
    let (next, effect) = flawed(state, event) ?? SyncRules.step(state, event)
    return (
      Record(
        value: next.value.map(Value.init), version: next.version.flatMap(UInt8.init) ?? 0,
        isLocal: next.isLocal, isEdited: next.isEdited, wasSent: next.wasSent), effect
    )
  }

  /// What a broken rule does; nil if the flaw does not show.
  private func flawed(_ state: SyncState, _ event: SyncEvent) -> (SyncState, SyncEffect)? {
    var other = state
    switch (flaw, event) {
    case (.neverAcknowledgedIsNeverSent, .requested):
      other.wasSent = false
      return SyncRules.step(other, event)
    case (.ownRemovalHasNoTime, .found(_, let value)):
      guard state.isLocal, state.value?.isRemoved == true, !value.isRemoved else { return nil }
      other.value?.time = nil
      var (next, effect) = SyncRules.step(other, event)
      if effect == .rebase { next.value = state.value }
      return (next, effect)
    case (.foundRemovalHasNoTime, .found(let version, var value)):
      guard state.isLocal, state.value?.isRemoved == false, value.isRemoved else { return nil }
      value.time = nil
      return SyncRules.step(state, .found(version: version, value))
    case (.removalWins, .found(let version, let value)):
      guard state.isLocal, value.isRemoved else { return nil }
      return (SyncState(value: value, version: version), .adopt)
    case (.conflictKeepsBase, .found):
      var (next, effect) = SyncRules.step(state, event)
      if effect == .rebase { next.version = state.version }
      return (next, effect)
    case (.answerSettlesAll, .accepted):
      other.isEdited = false
      return SyncRules.step(other, event)
    case (.restartRemovesRecords, .restarted):
      return state.isLocal ? nil : (SyncState(), .forget)
    case (.restartForgetsRemovals, .restarted):
      guard !state.isLocal, state.value?.isRemoved == true else { return nil }
      return (SyncState(value: state.value), .nothing)
    default: return nil
    }
  }

  private func serve(_ server: inout Server, _ request: Request) -> Answer {
    if server.version == 0, request.base != 0 { return .unknown }
    if server.version != request.base, let value = server.value {
      return .differs(server.version, value)
    }
    // No version is used again, also after a flush.
    let first = flaw == .versionsBeginAgain ? 0 : server.epoch * 100
    server.version = max(server.version, first) + 1
    server.value = request.value
    return .accepted(server.version)
  }

  private func event(of answer: Answer) -> SyncEvent {
    switch answer {
    case .accepted(let version): .accepted(version: "\(version)")
    case .differs(let version, let value): .found(version: "\(version)", value.known)
    case .unknown: .unknown
    }
  }

  /// A page of the server, and the request before it if the server's records are new.
  private func take(_ page: Server, _ record: Record, epoch: UInt8) -> Record {
    var record = record
    if page.epoch != epoch { record = step(record, .restarted).0 }
    if let value = page.value {
      record = step(record, .found(version: "\(page.version)", value.known)).0
    }
    return record
  }

  private func request(_ record: Record) -> (Record, Request?) {
    let (next, effect) = step(record, .requested)
    guard effect == .send, let value = next.value else { return (next, nil) }
    return (next, Request(base: next.version, value: value))
  }

  // MARK: The end

  /// What is wrong when all is done that was to be done; nil if nothing is, or if something is still to be done.
  private func judge(_ world: World) -> String? {
    var records = world.devices.map(\.record)
    var epochs = world.devices.map(\.epoch)
    var server = world.server
    func live(_ value: Value?) -> Value? { value?.isRemoved == true ? nil : value }
    for cycle in 0...3 {
      let isQuiet =
        records.allSatisfy { !$0.isLocal && live($0.value) == live(server.value) }
        && epochs.allSatisfy { $0 == server.epoch }
      if isQuiet { break }
      if cycle == 3 { return "not quiet after 3 cycles" }
      for device in records.indices {
        records[device] = take(server, records[device], epoch: epochs[device])
        epochs[device] = server.epoch
        for _ in 0..<3 {
          let (next, sent) = request(records[device])
          records[device] = next
          guard let sent else { break }
          let answer = serve(&server, sent)
          records[device] = step(records[device], event(of: answer)).0
          if case .accepted = answer { break }
        }
      }
    }
    let last = live(server.value)
    if let last, world.superseded & 1 << UInt16(last.id) != 0 {
      return "it is back although it was changed or removed: \(last)"
    }
    for value in world.written where !value.isRemoved && value != last {
      let isSuperseded = world.superseded & 1 << UInt16(value.id) != 0
      let isBeaten =
        server.value.map { value < $0 }
        ?? world.written.contains { $0.isRemoved && $0 > value }
      if !isSuperseded, !isBeaten {
        return "an edit is lost: \(value); the server has \(String(describing: server.value))"
      }
    }
    return nil
  }

  private func isEnd(_ world: World) -> Bool {
    world.late.isEmpty && world.devices.allSatisfy { $0.changesLeft == 0 && $0.phase == .idle }
  }

  // MARK: The world

  private func start() -> World {
    let value = Value(10, false, 0)
    let device = Device(
      record: Record(value: value, version: 1), changesLeft: Int8(bounds.changeCount))
    return World(
      devices: Array(repeating: device, count: bounds.deviceCount),
      server: Server(version: 1, value: value), faultsLeft: Int8(bounds.faultCount),
      flushesLeft: Int8(bounds.flushCount))
  }

  /// The steps that can be next: what happens, and the world after it.
  private func steps(of world: World, _ add: (() -> String, World) -> Void) {
    for (number, device) in world.devices.enumerated() {
      func next(
        _ text: @autoclosure @escaping () -> String, _ change: (inout World, inout Device) -> Void
      ) {
        var next = world
        var changed = device
        change(&next, &changed)
        next.devices[number] = changed
        add({ "device \(number): \(text())" }, next)
      }
      if device.changesLeft > 0 { changes(of: device, next) }
      switch device.phase {
      case .idle:
        next("reads a page: \(world.server)") { $1.phase = .page($0.server) }
        guard device.record.isLocal else { break }
        let (record, sent) = request(device.record)
        next("builds a request: \(String(describing: sent))") {
          $1.record = record
          $1.phase = sent.map { .request($0) } ?? .idle
        }
      case .page(let page):
        let record = take(page, device.record, epoch: device.epoch)
        next("takes the page") {
          ($1.record, $1.phase, $1.epoch) = (record, .idle, page.epoch)
        }
        guard world.faultsLeft > 0 else { break }
        next("loses the page, or crashes") {
          $0.faultsLeft -= 1
          $1.phase = .idle
        }
      case .request(let request):
        next("the server acts on the request") {
          $1.phase = .answer(serve(&$0.server, request))
        }
        guard world.faultsLeft > 0 else { break }
        next("the request is lost, or it crashes") {
          $0.faultsLeft -= 1
          $1.phase = .idle
        }
        guard bounds.hasLateRequests else { break }
        next("the request is late") {
          $0.faultsLeft -= 1
          $0.late.append(request)
          $1.phase = .idle
        }
      case .answer(let answer):
        let record = step(device.record, event(of: answer)).0
        next("takes the answer: \(answer)") { ($1.record, $1.phase) = (record, .idle) }
        guard world.faultsLeft > 0 else { break }
        next("the answer is lost, or it crashes") {
          $0.faultsLeft -= 1
          $1.phase = .idle
        }
      }
    }
    for (place, request) in world.late.enumerated() {
      var next = world
      next.late.remove(at: place)
      _ = serve(&next.server, request)
      add({ "a late request acts: \(request)" }, next)
    }
    if world.flushesLeft > 0 {
      var next = world
      next.flushesLeft -= 1
      next.server = Server(epoch: world.server.epoch + 1)
      add({ "the server loses its records" }, next)
    }
  }

  /// The changes that a program can make on a device.
  private func changes(
    of device: Device,
    _ next: (@autoclosure @escaping () -> String, (inout World, inout Device) -> Void) -> Void
  ) {
    let record = device.record
    let own = record.value
    let isThere = own.map { !$0.isRemoved } ?? false
    func change(_ value: Value, _ world: inout World, _ device: inout Device) {
      device.changesLeft -= 1
      if isThere, let own { world.superseded |= 1 << UInt16(own.id) }
      if !world.written.contains(value) { world.written.append(value) }
    }
    let delivered = Value(15, false, 9)
    if bounds.hasFiles, own.map({ $0 < delivered }) ?? true {
      next("a file delivers \(delivered)") {
        change(delivered, &$0, &$1)
        if flaw == .fileIsSynchronised {
          $1.record.value = delivered
        } else {
          $1.record = step(record, .changed(delivered.known)).0
        }
      }
    }
    for clock in bounds.clocks {
      for isRemoved in isThere ? [false, true] : [false] {
        var time = clock
        if let own, isThere || flaw != .newRecordHasClockTime { time = max(clock, own.time + 1) }
        next("\(isRemoved ? "removes" : "writes") at \(time)") {
          let value = Value(time, isRemoved, Int8($0.written.count + 1))
          change(value, &$0, &$1)
          $1.record = step(record, .changed(value.known)).0
        }
      }
    }
  }

  /// Explores all states, until one is wrong or there are too many.
  func run(limit: Int = 5_000_000) -> Report {
    var report = Report()
    var worlds = [start()]
    var parents = [0]
    var seen: Set<World> = [worlds[0]]
    var current = 0
    while current < worlds.count {
      let world = worlds[current]
      if isEnd(world) {
        report.endCount += 1
        if let message = judge(world) {
          report.failure = (message, trace(to: current, worlds, parents))
          break
        }
      }
      guard worlds.count <= limit else {
        report.failure = ("more than \(limit) states", [])
        break
      }
      steps(of: world) { _, next in
        report.stepCount += 1
        guard seen.insert(next).inserted else { return }
        worlds.append(next)
        parents.append(current)
      }
      current += 1
    }
    report.stateCount = worlds.count
    return report
  }

  private func trace(to last: Int, _ worlds: [World], _ parents: [Int]) -> [String] {
    var lines: [String] = []
    var place = last
    while place > 0 {
      let parent = parents[place]
      var line = ""
      steps(of: worlds[parent]) { text, next in if next == worlds[place] { line = text() } }
      lines.append(line)
      place = parent
    }
    return lines.reversed()
  }
}
