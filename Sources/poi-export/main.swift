import POIKit
import POISQLite
import POIToolSupport

SQLiteLibrary.disableMemoryStatistics()
SQLiteLibrary.allocatePagesSingly()
runTool(ExportCommand.description) { arguments, tool in
  do {
    return try ExportCommand(arguments).run(&tool)
  } catch let error as StoreError {
    throw ToolFailure(error)
  }
}
