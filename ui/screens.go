package ui

import (
	"mediadesk/api"
	"mediadesk/ui/page"
)

func (m *Model) tabScreens() map[page.ID]page.Screen { return nil }
func (m *Model) onboarding(problem error) page.Screen { return nil }
func (m *Model) form(sources []api.Source) page.Screen { return nil }
func (m *Model) details(files []api.File) page.Screen { return nil }
