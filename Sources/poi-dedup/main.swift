import POIKit
import POIReport
import POISQLite
import POIToolSupport

SQLiteLibrary.disableMemoryStatistics()
SQLiteLibrary.allocatePagesSingly()
runTool(DedupCommand.description) { arguments, tool in
  let job = try DedupCommand(arguments)
  let diagnostics = tool.diagnostics
  let outcome: DedupOutcome
  do {
    outcome = try DedupDatabase.run(job, note: { diagnostics.note($0) }) { progress in
      diagnostics.progress(Progress(progress, store: job.storePath))
      return Interruption.isRequested ? .stop : .proceed
    }
  } catch let error as StoreError {
    throw ToolFailure(error)
  }
  diagnostics.clearProgress()
  let failure = outcome.failure
  if let failure { diagnostics.error(failure.message) }
  job.write(outcome, to: &tool)
  for warning in outcome.warnings { diagnostics.warning(warning) }
  for note in outcome.notes(archives: job.options.archive) { diagnostics.note(note) }
  if let page = job.page, !outcome.isInterrupted, failure == nil,
    case .deduplicated(let report, let layout, _) = outcome
  {
    do {
      let store = try Store(job.storePath, for: .existing, trustsSchema: job.trustsSchema)
      let html = try report.html(of: store, table: layout.table, commandLine: job.commandLine)
      try page.write(html, mode: StorePermissions.forFile(besideStoreAt: job.storePath))
    } catch let error as StoreError {
      throw ToolFailure(error)
    }
  }
  return failure?.code
    ?? (outcome.isInterrupted ? .interrupted : outcome.hasFindings ? .rejected : .done)
}
