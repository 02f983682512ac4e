CREATE INDEX folders_parent ON folders (parent, name);
CREATE INDEX files_folder_created ON files (folder, created);
CREATE INDEX files_name ON files (name_key);
