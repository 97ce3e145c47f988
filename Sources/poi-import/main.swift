import POIFiles
import POIKit
import POISQLite
import POIToolSupport

SQLiteLibrary.disableMemoryStatistics()
SQLiteLibrary.allocatePagesSingly()
runTool(ImportCommand.description) { arguments, tool in
  do {
    return try ImportCommand(arguments).run(&tool)
  } catch let error as StoreError {
    throw ToolFailure(error)
  } catch let error as ModelError {
    throw ToolFailure(.usage, error.description)
  } catch let error as InputError {
    throw ToolFailure(StoreError(error))
  }
}
