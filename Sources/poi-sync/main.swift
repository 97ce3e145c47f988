import POIKit
import POISQLite
import POISync
import POIToolSupport

SQLiteLibrary.disableMemoryStatistics()
SQLiteLibrary.allocatePagesSingly()
runTool(SyncCommand.description) { arguments, tool in
  do {
    return try SyncCommand(arguments).run(&tool)
  } catch let error as StoreError {
    throw ToolFailure(error)
  } catch let error as SyncError {
    throw ToolFailure(error)
  }
}
