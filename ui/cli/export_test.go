package cli

var PurgeCommands = purgeCommands
