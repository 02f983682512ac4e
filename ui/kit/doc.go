// Package kit holds the user interface components that know nothing about media.
//
// All components follow the same rules:
//   - A component exactly fills the rectangle that it is given, from 0x0 up.
//   - A component with state has pointer receivers. Its Update reports whether it
//     used the message, so that the screen can handle the others. Components
//     start no commands, except [Messages].
//   - Sizes are columns (X) and rows (Y) of the terminal in an image.Point.
//   - Text from outside goes through [text.Safe] before it is drawn. The components that
//     own their text (fields, chips, dialogs, messages, help) do it themselves;
//     functions that take ready-made lines say so.
package kit
