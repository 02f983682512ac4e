// Package kit holds the parts that know nothing of media.
//
// All parts follow the same few rules:
//   - A part draws inside the rectangle it is given, to the cell, from 0x0 up.
//   - A part with a state has pointer receivers. Its Update takes a message and
//     returns whether the part used it, so that the screen can go on with what
//     was not meant for the part. Parts start no commands, except [Messages].
//   - Sizes are columns and rows of the terminal; image.Point holds a size, X
//     columns by Y rows.
//   - Text from outside goes through [Safe] before it is drawn. The parts that
//     own their text (fields, chips, dialogs, messages, help) do it themselves;
//     functions that take ready-made lines say so.
package kit
