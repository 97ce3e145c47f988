/// The version of the toolkit, as `--version`, reports and the store's runs show it.
public enum POIKitVersion {
  /// Semantic version.
  public static let current = "0.1.0"
}
