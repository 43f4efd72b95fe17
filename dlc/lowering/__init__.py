"""What strategies share when they write loops: scopes of elements, jobs, tiles; and loops to
threads.
"""
