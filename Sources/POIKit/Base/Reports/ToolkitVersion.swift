/// The version of the toolkit, as `--version`, reports and the store's runs show it.
package enum ToolkitVersion {
  /// Semantic version.
  package static let current = "0.1.0"
}
