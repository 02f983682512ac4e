CREATE INDEX folders_parent ON folders (parent, name);
CREATE INDEX files_folder_created ON files (folder, created);
CREATE INDEX files_name ON files (name_key);

CREATE TRIGGER file_tags_insert AFTER INSERT ON files WHEN NEW.tags IS NOT NULL OR NEW.ai_tags IS NOT NULL BEGIN
	INSERT OR IGNORE INTO file_tags (tag, created, file) SELECT value, NEW.created, NEW.id FROM json_each(NEW.tags)
		UNION SELECT json_extract(value, '$.name'), NEW.created, NEW.id FROM json_each(NEW.ai_tags);
END;
CREATE TRIGGER file_tags_update AFTER UPDATE OF tags, ai_tags ON files WHEN OLD.tags IS NOT NEW.tags OR OLD.ai_tags IS NOT NEW.ai_tags BEGIN
	DELETE FROM file_tags WHERE created = OLD.created AND file = OLD.id
		AND tag IN (SELECT value FROM json_each(OLD.tags) UNION SELECT json_extract(value, '$.name') FROM json_each(OLD.ai_tags));
	INSERT OR IGNORE INTO file_tags (tag, created, file) SELECT value, NEW.created, NEW.id FROM json_each(NEW.tags)
		UNION SELECT json_extract(value, '$.name'), NEW.created, NEW.id FROM json_each(NEW.ai_tags);
END;
CREATE TRIGGER file_tags_delete AFTER DELETE ON files WHEN OLD.tags IS NOT NULL OR OLD.ai_tags IS NOT NULL BEGIN
	DELETE FROM file_tags WHERE created = OLD.created AND file = OLD.id
		AND tag IN (SELECT value FROM json_each(OLD.tags) UNION SELECT json_extract(value, '$.name') FROM json_each(OLD.ai_tags));
END;
