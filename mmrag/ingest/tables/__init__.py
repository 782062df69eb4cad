"""Tables: found with rules and without, on text layers and on scans."""
