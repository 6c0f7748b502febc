"""The services that are asked about papers, and the dumps that they publish."""
