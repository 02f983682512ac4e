package api

// Saved is a saved extension of an account (hosted-service.md §15).
type Saved struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Config      Extension `json:"config"`
}
