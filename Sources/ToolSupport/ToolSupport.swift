// ToolSupport
