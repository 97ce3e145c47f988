import JSONStreaming
import POIKit
import POIRecords
import POISync
import POIToolSupport

extension SyncCommand {
  func write(_ report: SyncReport, to tool: inout ToolEnvironment) {
    let (pulled, pushed) = (report.pulled, report.pushed)
    if report.isRestarted {
      tool.diagnostics.note(
        "the server's records are new, so all records and removals are offered to it")
    }
    if isReportJSON {
      let members: [(String, JSONValue)] = [
        ("report", .number(1)), ("tool", .string("poi-sync")),
        ("version", .string(ToolkitVersion.current)), ("store", .string(storePath)),
        ("ending", .string(report.isStopped ? "stopped" : "finished")),
        ("requests", .number(report.requestCount)), ("restarted", .bool(report.isRestarted)),
        (
          "pulled",
          .counts([
            ("inserted", pulled.insertedCount), ("updated", pulled.updatedCount),
            ("removed", pulled.removedCount), ("unchanged", pulled.unchangedCount),
            ("kept", pulled.keptCount), ("rejected", pulled.rejectedCount),
          ])
        ),
        (
          "pushed",
          .counts([
            ("accepted", pushed.acceptedCount), ("conflicts", pushed.conflictCount),
            ("unknown", pushed.unknownCount), ("refused", pushed.refusedCount),
          ])
        ),
      ]
      tool.output.write(
        json: JSONValue.object(members.map { .init(name: $0.0, value: $0.1) }).indented(width: 0)
          + "\n")
      return
    }
    var table = TextTable(.left, .right, .left)
    table.append("inserted", pulled.insertedCount, "from the server")
    table.append("updated", pulled.updatedCount)
    table.append("removed", pulled.removedCount)
    if pulled.unchangedCount > 0 { table.append("unchanged", pulled.unchangedCount) }
    if pulled.keptCount > 0 {
      table.append("kept", pulled.keptCount, "changed here later than on the server")
    }
    if pulled.rejectedCount > 0 {
      table.append(
        "rejected", pulled.rejectedCount,
        "break rules of the model; the table poikit_reject has them")
    }
    if !report.isPullOnly { table.append("sent", pushed.acceptedCount, "to the server") }
    if pushed.conflictCount > 0 {
      table.append("conflicts", pushed.conflictCount, "had changed on the server")
    }
    if pushed.refusedCount > 0 {
      table.append("refused", pushed.refusedCount, "by the server; --status shows its words")
    }
    if !tool.isQuiet { tool.output.write(table.text()) }
  }

  func showStatus(_ tool: inout ToolEnvironment) throws -> ExitCode {
    let tables = try store(.readOnly).syncedTables()
    if isReportJSON {
      let list = tables.map { status in
        JSONValue.object([
          .init(name: "table", value: .string(status.table)),
          .init(name: "server", value: .string(status.address)),
          .init(name: "pulled", value: .bool(status.isPulled)),
          .init(name: "notSynchronised", value: .number(status.notSynchronisedCount)),
          .init(name: "pending", value: .number(status.pendingCount)),
          .init(name: "synchronised", value: .number(status.synchronisedCount)),
          .init(name: "checkpoint", value: .string(status.checkpoint)),
          .init(name: "error", value: .string(status.error)),
          .init(
            name: "refused",
            value: .array(
              status.refusals.map {
                .object([
                  .init(name: "key", value: .string($0.key)),
                  .init(name: "words", value: .string($0.words)),
                ])
              })),
        ])
      }
      let members: [(String, JSONValue)] = [
        ("report", .number(1)), ("tool", .string("poi-sync")),
        ("version", .string(ToolkitVersion.current)), ("store", .string(storePath)),
        ("tables", .array(list)),
      ]
      tool.output.write(
        json: JSONValue.object(members.map { .init(name: $0.0, value: $0.1) }).indented(width: 0)
          + "\n")
      return .done
    }
    if tables.isEmpty { tool.diagnostics.note("\(storePath): no table has a server") }
    for status in tables {
      if status.isPulled {
        tool.output.write("\(status.table) is pulled from \(status.address)\n")
      } else {
        var counts = TextTable(.left, .right, .left)
        counts.append("not synchronised", status.notSynchronisedCount, "of \(status.table)")
        counts.append("pending", status.pendingCount, "sent, not acknowledged")
        counts.append("synchronised", status.synchronisedCount, "with \(status.address)")
        tool.output.write(counts.text())
      }
      for refusal in status.refusals {
        tool.output.write("refused \(refusal.key): \(refusal.words)\n")
      }
      if let error = status.error, let ended = status.ended {
        tool.output.write("the last cycle failed at \(ended): \(error)\n")
      }
    }
    return .done
  }
}
