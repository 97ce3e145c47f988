-- From a table `raw` of all records to the newest of each identifier, categories apart. With max()
-- in a query that groups, SQLite takes the other columns from the row of the greatest.
CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
INSERT INTO category (name) SELECT DISTINCT category FROM raw;
CREATE TABLE poi (
  identifier TEXT NOT NULL, name TEXT NOT NULL, address TEXT, city TEXT, country TEXT,
  information TEXT, latitude REAL NOT NULL, longitude REAL NOT NULL, updatedAt TEXT,
  category INTEGER REFERENCES category (id));
INSERT INTO poi
  SELECT identifier, raw.name, address, city, country, information, latitude, longitude,
    max(updatedAt), category.id
  FROM raw LEFT JOIN category ON category.name = raw.category
  GROUP BY identifier;
CREATE UNIQUE INDEX poi_identifier ON poi (identifier);
