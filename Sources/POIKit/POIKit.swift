// POIKit
